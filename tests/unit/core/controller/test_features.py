"""Feature levels, controllers' registrations, producer ids."""

from __future__ import annotations

import pytest
from tests.unit.core.controller.kit import Cluster, incarnation, old_features

from spindle.core.controller import configs, features, producer_ids
from spindle.core.controller.config_resources import Alteration, ConfigResource
from spindle.core.controller.features import FeatureUpdate
from spindle.model import metadata_records as r
from spindle.model.errors import Error, Refusal
from spindle.model.feature_rules import (
    ELR_VERSION,
    METADATA_VERSION,
    SUPPORTED,
    UpgradeType,
    finalized_at,
)
from spindle.model.ids import Endpoint, VersionRange
from spindle.model.image import BROKER_RESOURCE

UP, SAFE, UNSAFE = UpgradeType


@pytest.mark.parametrize(
    ("updates", "error"),
    [
        ([(METADATA_VERSION, 30, UP)], Error.NONE),
        ([(METADATA_VERSION, 25, UP)], Error.NONE),
        ([(METADATA_VERSION, 31, UP)], Error.INVALID_UPDATE_VERSION),
        ([(METADATA_VERSION, 30, SAFE)], Error.INVALID_UPDATE_VERSION),
        ([(METADATA_VERSION, 19, UP)], Error.INVALID_UPDATE_VERSION),
        ([(METADATA_VERSION, 17, SAFE)], Error.NONE),
        ([(METADATA_VERSION, 19, UNSAFE)], Error.NONE),
        ([(METADATA_VERSION, 16, SAFE)], Error.INVALID_UPDATE_VERSION),
        ([(METADATA_VERSION, 16, UNSAFE)], Error.INVALID_UPDATE_VERSION),
        ([(METADATA_VERSION, 30, 9)], Error.INVALID_UPDATE_VERSION),
        ([("nothing", 1, UP)], Error.INVALID_UPDATE_VERSION),
        ([("kraft.version", 1, UP)], Error.INVALID_UPDATE_VERSION),
        ([("", 1, UP)], Error.INVALID_REQUEST),
        ([("group.version", 1, UP), ("group.version", 1, UP)], Error.INVALID_REQUEST),
        ([("group.version", 1, UP)], Error.NONE),
        ([("group.version", 2, UP)], Error.INVALID_UPDATE_VERSION),
        ([("group.version", -1, SAFE)], Error.INVALID_UPDATE_VERSION),
        ([("transaction.version", 2, UP)], Error.INVALID_UPDATE_VERSION),
        ([("share.version", 1, UP)], Error.INVALID_UPDATE_VERSION),
        ([(ELR_VERSION, 1, UP)], Error.INVALID_UPDATE_VERSION),
        ([(ELR_VERSION, 1, UP), (METADATA_VERSION, 23, UP)], Error.NONE),
    ],
)
def test_update_features(updates: list[tuple[str, int, int]], error: Error) -> None:
    cluster = Cluster(levels={METADATA_VERSION: 20})
    cluster.register(1, features=old_features(transaction_version=VersionRange(0, 1)))
    lacking = {name: range for name, range in SUPPORTED.items() if name != "share.version"}
    cluster.register(2, features=lacking)
    asked = [FeatureUpdate(*update) for update in updates]
    if error is Error.NONE:
        cluster.take(features.update_features(cluster.state, asked))
        assert [(x.name, x.level) for x in cluster.last if isinstance(x, r.FeatureLevel)] == [
            (name, level) for name, level, _ in updates
        ]
    else:
        with pytest.raises(Refusal) as refused:
            features.update_features(cluster.state, asked)
        assert refused.value.error is error
        assert refused.value.message


@pytest.mark.parametrize(
    ("update", "told"),
    [
        (
            (METADATA_VERSION, 0, UNSAFE),
            "Invalid update version 0 for feature metadata.version. Local controller 100 only"
            " supports versions 7-30",
        ),
        (
            (METADATA_VERSION, 7, SAFE),
            "Unsupported metadata.version downgrade from 20 to 7. Refusing to perform the requested"
            " downgrade because it might delete metadata information.",
        ),
        (
            (METADATA_VERSION, 7, UNSAFE),
            "Unsupported metadata.version downgrade from 20 to 7. Unsafe metadata downgrade is not"
            " supported in this version.",
        ),
        (
            ("streams.version", 1, UP),
            "Invalid update version 1 for feature streams.version. Local controller 100 does not"
            " support this feature.",
        ),
        (
            ("share.version", 1, UP),
            "Invalid update version 1 for feature share.version. Broker 2 does not support this"
            " feature.",
        ),
        (
            (METADATA_VERSION, 18, UP),
            "Invalid update version 18 for feature metadata.version. Can't downgrade the version of"
            " this feature without setting the upgrade type to either safe or unsafe downgrade.",
        ),
        (
            ("group.version", 1, SAFE),
            "Invalid update version 1 for feature group.version. Can't downgrade to a newer"
            " version.",
        ),
        (("nothing", 0, SAFE), "Invalid update version 0 for feature nothing. Feature nothing not"
         " found."),
    ],
)  # fmt: skip
def test_refusals_are_in_apache_kafkas_words(update: tuple[str, int, int], told: str) -> None:
    cluster = Cluster({"node.id": "100"}, levels={METADATA_VERSION: 20})
    cluster.register(
        2, features={name: range for name, range in SUPPORTED.items() if name != "share.version"}
    )
    with pytest.raises(Refusal) as refused:
        features.update_features(cluster.state, [FeatureUpdate(*update)])
    assert refused.value.message == told


def test_validating_writes_nothing_and_no_change_is_no_record() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 20})
    up = [FeatureUpdate(METADATA_VERSION, 30)]
    assert features.update_features(cluster.state, up, validate_only=True).records == ()
    same = [FeatureUpdate(METADATA_VERSION, 20)]
    assert features.update_features(cluster.state, same).records == ()


def test_a_feature_goes_down_to_nothing() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 30, "group.version": 1})
    down = FeatureUpdate("group.version", 0, UpgradeType.SAFE_DOWNGRADE)
    cluster.take(features.update_features(cluster.state, [down]))
    assert cluster.image.features == {METADATA_VERSION: 30}


def floor(cluster: Cluster) -> dict[str, str]:
    """min.insync.replicas of the brokers' resources."""
    return {
        name: settings["min.insync.replicas"]
        for (type, name), settings in cluster.image.configs.items()
        if type == BROKER_RESOURCE and "min.insync.replicas" in settings
    }


@pytest.mark.spec("N-04")
def test_eligible_leaders_rest_on_one_least_isr_for_the_cluster() -> None:
    cluster = Cluster({"min.insync.replicas": "2"}, levels={METADATA_VERSION: 30})
    cluster.start(1)
    own = ConfigResource(BROKER_RESOURCE, "1")
    three = [(own, [Alteration("min.insync.replicas", 0, "3")])]
    cluster.take(configs.alter_incrementally(cluster.state, three))
    assert floor(cluster) == {"1": "3"}
    cluster.take(features.update_features(cluster.state, [FeatureUpdate(ELR_VERSION, 1)]))
    assert floor(cluster) == {"": "2"}
    assert cluster.state.elr_enabled

    def alter(
        resource: ConfigResource, operation: int, value: str | None
    ) -> tuple[Error, str | None]:
        asked = [(resource, [Alteration("min.insync.replicas", operation, value)])]
        (_, outcome), *_ = cluster.take(configs.alter_incrementally(cluster.state, asked))
        return outcome.error, outcome.message

    everywhere = ConfigResource(BROKER_RESOURCE, "")
    assert alter(own, 0, "3") == (
        Error.INVALID_CONFIG,
        "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
    )
    assert alter(everywhere, 1, None) == (
        Error.INVALID_CONFIG,
        "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
    )
    assert alter(everywhere, 0, "1") == (Error.NONE, None)
    assert floor(cluster) == {"": "1"}


@pytest.mark.spec("N-04")
@pytest.mark.parametrize("level", [7, 12, 13, 26, 30])
def test_a_new_cluster_begins_as_its_format_says(level: int) -> None:
    cluster = Cluster({"min.insync.replicas": "2"}, levels={})
    formatted = [r.FeatureLevel(name=n, level=lv) for n, lv in finalized_at(level).items()]
    records = features.begin(cluster.state, formatted)
    in_transaction = isinstance(records[0], r.BeginTransaction)
    assert in_transaction == (level >= 13) == isinstance(records[-1], r.EndTransaction)
    for record in records:
        cluster.image.apply(record)
    assert cluster.image.features == finalized_at(level)
    assert floor(cluster) == ({"": "2"} if level >= 26 else {})


def test_controllers_register_once_and_bound_upgrades() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 20})
    registration = r.RegisterController(
        controller_id=9,
        incarnation_id=incarnation(9),
        endpoints=(Endpoint("CONTROLLER", "c", 1),),
        features=((METADATA_VERSION, VersionRange(7, 25)),),
    )
    cluster.take(features.register_controller(cluster.state, registration))
    assert cluster.image.controllers == {9: registration}
    cluster.take(features.register_controller(cluster.state, registration))
    assert cluster.last == ()
    with pytest.raises(Refusal, match="Controller 9 only supports versions 7-25"):
        features.update_features(cluster.state, [FeatureUpdate(METADATA_VERSION, 26)])


def test_old_clusters_know_no_controllers() -> None:
    cluster = Cluster(levels={METADATA_VERSION: 14})
    registration = r.RegisterController(controller_id=9, incarnation_id=incarnation(9))
    with pytest.raises(Refusal) as refused:
        features.register_controller(cluster.state, registration)
    assert refused.value.error is Error.UNSUPPORTED_VERSION


def test_producer_ids_are_given_once() -> None:
    cluster = Cluster()
    cluster.start(1, 2)
    blocks = []
    for broker in (1, 2, 1):
        epoch = cluster.image.brokers[broker].broker_epoch
        blocks.append(cluster.take(producer_ids.allocate(cluster.state, broker, epoch)))
    assert [(b.first, b.size) for b in blocks] == [(0, 1000), (1000, 1000), (2000, 1000)]
    with pytest.raises(Refusal) as refused:
        producer_ids.allocate(cluster.state, 1, 999)
    assert refused.value.error is Error.STALE_BROKER_EPOCH

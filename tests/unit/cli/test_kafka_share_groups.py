"""`kafka-share-groups`: what it prints of share groups, and which lines it takes."""

from __future__ import annotations

import pytest

from spindle.cli import kafka_share_groups as tool
from spindle.cli import kafka_share_lines as lines
from spindle.client.cluster import Node
from spindle.client.share_group_results import (
    ShareGroupDescription,
    ShareGroupListing,
    ShareMemberDescription,
    SharePartitionOffset,
)
from spindle.model.ids import TopicPartition

pytestmark = pytest.mark.spec("C-04")
AT = ("--bootstrap-server", "127.0.0.1:1")
RESET = (*AT, "--reset-offsets", "--group", "g")
MEMBER = ShareMemberDescription(
    "a-member-with-a-long-id",
    "client",
    "/127.0.0.1",
    3,
    None,
    ("t",),
    (TopicPartition("t", 1), TopicPartition("t", 0), TopicPartition("b", 2)),
)
GROUP = ShareGroupDescription("g", "Stable", Node(1, "localhost", 9092), 4, 3, "simple", (MEMBER,))


def test_groups_are_listed_with_their_states() -> None:
    found = [ShareGroupListing("a", "Empty"), ShareGroupListing("a-longer-group-id", "Stable")]
    assert lines.listing_lines(found) == [
        "GROUP             STATE",
        "a                 Empty",
        "a-longer-group-id Stable",
    ]


def test_offsets_have_the_columns_of_kafkas_tool() -> None:
    offsets = {
        TopicPartition("t", 10): SharePartitionOffset(7, 2, None),
        TopicPartition("t", 2): SharePartitionOffset(5, 1, 3),
    }
    assert lines.offset_lines("g", offsets, verbose=False) == [
        "",
        "GROUP           TOPIC           PARTITION  START-OFFSET  LAG",
        "g               t               2          5             3",
        "g               t               10         7             -",
    ]
    assert lines.offset_lines("g", offsets, verbose=True)[1:3] == [
        "GROUP           TOPIC           PARTITION  LEADER-EPOCH  START-OFFSET  LAG",
        "g               t               2          1             5             3",
    ]
    assert lines.offset_lines("g", {}, verbose=False) == [
        "",
        "Share group 'g' has no offset information.",
    ]


def test_a_state_has_the_columns_of_kafkas_tool() -> None:
    assert lines.state_lines(GROUP, verbose=False) == [
        "",
        "GROUP           COORDINATOR (ID)          STATE           #MEMBERS",
        "g               localhost:9092  (1)       Stable          1",
    ]
    assert lines.state_lines(GROUP, verbose=True)[2] == (
        "g               localhost:9092  (1)       Stable          4            3                 1"
    )


def test_members_have_the_columns_of_kafkas_tool() -> None:
    assert lines.member_lines(GROUP, verbose=False) == [
        "",
        "GROUP           CONSUMER-ID             HOST            CLIENT-ID       #PARTITIONS"
        "  ASSIGNMENT",
        "g               a-member-with-a-long-id /127.0.0.1      client          3"
        "            b:2;t:0,1",
    ]
    assert lines.member_lines(GROUP, verbose=True)[2].split()[4:] == ["3", "3", "b:2;t:0,1"]


def test_new_offsets_and_deleted_topics_have_the_columns_of_kafkas_tool() -> None:
    assert lines.reset_lines("g", {TopicPartition("t", 0): 9})[1:] == [
        "GROUP           TOPIC           PARTITION  NEW-OFFSET",
        "g               t               0          9",
    ]
    assert lines.deleted_topic_lines({"t": None, "u": "no such topic"})[1:] == [
        "TOPIC           STATUS",
        "t               Successful",
        "u               Error: no such topic",
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ((), "This tool helps to list"),
        (("--list",), 'Missing required argument "[bootstrap-server]"'),
        (AT, "exactly one action: --list, --describe, --delete, --reset-offsets"),
        ((*AT, "--list", "--describe", "--all-groups"), "exactly one action"),
        ((*AT, "--describe"), "takes one of these options: [all-groups], [group]"),
        ((*AT, "--describe", "--group", "g", "--members", "--offsets"), "takes at most one"),
        ((*AT, "--describe", "--group", "g", "--state", "Empty"), "does not take a value"),
        ((*AT, "--list", "--members"), "[members] are unavailable"),
        ((*AT, "--list", "--group", "g"), '"[group]" can\'t be used with option "[list]"'),
        ((*AT, "--delete"), "takes the options [group] or [all-groups]"),
        ((*AT, "--delete", "--group", "g", "--all-groups"), "not both"),
        ((*AT, "--delete", "--group", "g", "--topic", "t"), "does not take the option: [topic]"),
        ((*AT, "--delete-offsets", "--group", "g"), "following options: [group], [topic]"),
        ((*AT, "--delete-offsets", "--group", "g", "--group", "h", "--topic", "t"), "one group"),
        (RESET, "takes the option: [execute] or [dry-run]"),
        ((*RESET, "--execute", "--dry-run"), "only accepts one of [execute] and [dry-run]"),
        ((*RESET, "--execute"), "takes one of these options: [all-topics], [topic]"),
        ((*RESET, "--execute", "--topic", "t"), "[to-datetime], [to-earliest], [to-latest]"),
        (
            (*RESET, "--execute", "--topic", "t", "--to-earliest", "--to-latest"),
            '"[to-earliest]" can\'t be used with option "[to-latest]"',
        ),
        ((*AT, "--nonsense"), "nonsense is not a recognized option"),
    ],
)
def test_a_wrong_line_is_refused_in_the_words_of_kafkas_tool(
    line: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        tool.share_groups(line)
    assert end.value.code == 1
    assert words in capsys.readouterr().err


def test_help_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        tool.share_groups(["--help"])
    assert end.value.code == 0
    assert "examples:\n  kafka-share-groups --bootstrap-server" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "ms"),
    [("1970-01-01T00:00:01.500", 1500), ("1970-01-01T02:00:00.000+02:00", 0)],
)
def test_a_time_is_utc_unless_it_has_a_zone(text: str, ms: int) -> None:
    assert tool._moment(text) == ms

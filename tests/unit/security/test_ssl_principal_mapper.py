"""Names of certificates and what rules make of them: the answers are Apache Kafka 4.3's own."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import NameOID as N

from spindle.model.errors import Unusable
from spindle.model.kafka_principal import ANONYMOUS, KafkaPrincipal
from spindle.security.distinguished_names import subject_of
from spindle.security.ssl_principal_mapper import SslPrincipalMapper

A = x509.NameAttribute
KEY = ec.generate_private_key(ec.SECP256R1())


def certificate(*parts: x509.NameAttribute[str]) -> bytes:
    return named(x509.Name(list(parts)))


def named(name: x509.Name) -> bytes:
    begin, end = datetime(2020, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(x509.Name([]))
    builder = builder.public_key(KEY.public_key()).serial_number(5)
    builder = builder.not_valid_before(begin).not_valid_after(end)
    return builder.sign(KEY, hashes.SHA256()).public_bytes(Encoding.DER)


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (
            [
                A(N.COUNTRY_NAME, "DE"),
                A(N.STATE_OR_PROVINCE_NAME, "Bay, ern"),
                A(N.LOCALITY_NAME, 'Mün"chen'),
                A(N.ORGANIZATION_NAME, "a=b+c<d>e#f;g\\h"),
                A(N.ORGANIZATIONAL_UNIT_NAME, "  lead trail  "),
                A(N.COMMON_NAME, "#kafka"),
            ],
            r"CN=\#kafka,OU=\ \ lead trail\ \ ,O=a\=b\+c\<d\>e\#f\;g\\h,L=Mün\"chen,"
            r"ST=Bay\, ern,C=DE",
        ),
        (
            [
                A(N.EMAIL_ADDRESS, "a@b.c"),
                A(N.DOMAIN_COMPONENT, "ex"),
                A(N.USER_ID, "u1"),
                A(N.STREET_ADDRESS, "s 1"),
                A(N.SERIAL_NUMBER, "77"),
                A(N.COMMON_NAME, " "),
            ],
            r"CN=\ ,2.5.4.5=#13023737,STREET=s 1,UID=u1,DC=ex,"
            "1.2.840.113549.1.9.1=#16056140622e63",
        ),
        ([A(N.COMMON_NAME, "a\0b€")], r"CN=a\00b€"),
        ([], ""),
    ],
)
def test_a_name_is_written_as_java_does(parts: list[x509.NameAttribute[str]], name: str) -> None:
    assert subject_of(certificate(*parts)) == name


@pytest.mark.spec("S-04")
def test_a_part_of_several_values_is_written_as_java_does() -> None:
    several = x509.RelativeDistinguishedName(
        [A(N.COMMON_NAME, "x"), A(N.ORGANIZATIONAL_UNIT_NAME, "y")]
    )
    single = x509.RelativeDistinguishedName([A(N.ORGANIZATION_NAME, "z  z")])
    assert subject_of(named(x509.Name([several, single]))) == "O=z  z,CN=x+OU=y"


DUKE = "CN=Duke,OU=ServiceUsers,O=Org,L=Town,ST=S,C=DE"
LONG = (
    r"RULE:^CN=(.*?),OU=(.*?),O=(.*?),L=(.*?),ST=(.*?),C=(.*?)$/$1@$2/L, "
    r"RULE:^.*[Cc][Nn]=([a-zA-Z0-9.]*).*$/$1/L,DEFAULT"
)


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    ("rules", "name", "short"),
    [
        ("DEFAULT", DUKE, DUKE),
        ("", DUKE, None),
        (r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/", DUKE, "Duke"),
        (r"RULE:^CN=(.*?),OU=ServiceUsers.*$/$1/", "CN=kafka", None),
        (LONG, DUKE, "duke@serviceusers"),
        (LONG, "CN=Kafka", "kafka"),
        (r"RULE:.*/x/", DUKE, "xx"),
        (r"RULE:(.*)/<$1>/U", "CN=kafka", "<CN=KAFKA><>"),
        (r"RULE:CN=(.*?),.*/\$1\/a/", DUKE, "$1/a"),
        (r"DEFAULT,RULE:x/y/", "CN=kafka", "CN=kafka"),
        (r",,DEFAULT", "CN=kafka", "CN=kafka"),
        (r"RULE:CN=(\w+),OU=(\w+).*/$2$10-$21/,DEFAULT", DUKE, "ServiceUsersDuke0-ServiceUsers1"),
        (r"RULE:CN=(\w+|)(x)?.*/$2-$1$0/", "CN=kafka", "-kafkaCN=kafka"),
        (r"RULE:^cn=/x/ , RULE:^(CN)=.*/$1 a/L  ,DEFAULT", "CN=kafka", "cn a"),
        (r"RULE:(.*?)/-/", "CN=a", "-C-N-=-a-"),
        (r"RULE:CN=(.*?),.*/$1$45/", DUKE, "Duke$45"),
    ],
)
def test_the_first_rule_that_fits_gives_the_name(rules: str, name: str, short: str | None) -> None:
    assert SslPrincipalMapper(rules).name_of(name) == short


@pytest.mark.spec("S-04")
@pytest.mark.parametrize(
    "rules",
    ["RULE:a/b", "foo", "RULE:a/b/Lx", "RULE:[/x/", r"RULE:CN=.*/$1/", r"RULE:CN=(\w+).*/a$/"],
)
def test_what_is_no_rule_is_refused(rules: str) -> None:
    with pytest.raises(Unusable, match=r"ssl\.principal\.mapping\.rules"):
        SslPrincipalMapper(rules)


@pytest.mark.spec("S-04")
def test_principals_of_certificates() -> None:
    mapper = SslPrincipalMapper("RULE:CN=(a.*)/$1/")
    ann, bob = certificate(A(N.COMMON_NAME, "ann")), certificate(A(N.COMMON_NAME, "bob"))
    assert mapper.principal_of(None) == ANONYMOUS
    assert mapper.principal_of(ann) == KafkaPrincipal("User", "ann")
    assert mapper.principal_of(bob) is None
    assert mapper.principal_of(b"no certificate") is None

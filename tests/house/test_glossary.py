"""The glossary has each term once, in order, and no word is both a term and one to avoid."""

import re
from pathlib import Path

GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.md"
ROW = re.compile(r"^\| \*\*(?P<term>[^*|]+)\*\* \| (?P<meaning>[^|]+) \| (?P<avoid>[^|]*)\|$")


def rows() -> list[tuple[str, str, list[str]]]:
    """(term, meaning, words to avoid); every row of the table must be one."""
    lines = GLOSSARY.read_text(encoding="utf-8").splitlines()
    table = [line for line in lines if line.startswith("|")][2:]
    found = []
    for line in table:
        match = ROW.match(line)
        assert match, f"not a row of the glossary: {line}"
        avoid = [word.strip() for word in match["avoid"].split(",") if word.strip()]
        found.append((match["term"], match["meaning"], avoid))
    return found


def test_terms_stand_once_and_in_order() -> None:
    terms = [term.casefold() for term, _, _ in rows()]
    assert len(terms) > 50
    assert terms == sorted(set(terms))


def test_each_meaning_is_a_sentence_and_stands_once() -> None:
    meanings = [meaning for _, meaning, _ in rows()]
    assert len(set(meanings)) == len(meanings)
    assert not [meaning for meaning in meanings if not meaning.endswith(".")]


def test_a_word_to_avoid_is_no_term_and_stands_for_one_term() -> None:
    terms = {term.casefold() for term, _, _ in rows()}
    avoided = [word.casefold() for _, _, words in rows() for word in words]
    assert not terms & set(avoided)
    assert len(set(avoided)) == len(avoided)

"""The archive of Java's classes: made once, of what a first JVM has loaded."""

from __future__ import annotations

from pathlib import Path

import pytest

from spindle.pipeline.class_archive import KEPT, ClassArchive, make

JAVA = """#!/bin/sh
for word; do case $word in
  -XX:SharedArchiveFile=*) echo archived > "${word#*=}" ;;
  -XX:SharedClassListFile=*) cp "${word#*=}" "$0.listed" ;;
esac; done
exit CODE
"""


def java(folder: Path, code: int = 0) -> Path:
    program = folder / f"java-{code}"
    program.write_text(JAVA.replace("CODE", str(code)))
    program.chmod(0o755)
    return program


@pytest.mark.spec("V-07")
def test_a_first_java_writes_down_what_it_loads_and_later_ones_use_the_archive(
    tmp_path: Path,
) -> None:
    program, jar = java(tmp_path), tmp_path / "one.jar"
    jar.write_text("classes")
    archive = ClassArchive(str(program), [jar], tmp_path / "cache")
    (option,) = archive.options()
    listed = Path(option.removeprefix("-XX:DumpLoadedClassList="))
    listed.write_text("# a comment\njava/lang/Object\n@lambda\nMade source: here\n")
    assert make(archive.path, listed, str(program), "one.jar")
    assert not listed.exists()
    written = program.with_name("java-0.listed").read_text()
    assert written == "java/lang/Object\n@lambda\n", "what was made at run time cannot be in it"
    assert archive.options()[0] == f"-XX:SharedArchiveFile={archive.path}"
    jar.write_text("other classes")
    other = ClassArchive(str(program), [jar], tmp_path / "cache")
    assert other.path != archive.path
    served = ClassArchive(str(program), [jar], tmp_path / "cache", kind="connect")
    assert served.path != other.path, "a server loads classes of its own"


def test_a_java_that_makes_none_is_asked_once(tmp_path: Path) -> None:
    program = java(tmp_path, 1)
    archive = ClassArchive(str(program), [], tmp_path / "cache")
    listed = Path(archive.options()[0].partition("=")[2])
    listed.write_text("java/lang/Object\n")
    assert not make(archive.path, listed, str(program), "")
    assert archive.options() == []


def test_few_archives_are_kept_and_a_cache_that_is_no_folder_is_no_error(tmp_path: Path) -> None:
    program = java(tmp_path)
    for number in range(KEPT + 2):
        jar = tmp_path / f"{number}.jar"
        jar.write_text("classes")
        archive = ClassArchive(str(program), [jar], tmp_path / "cache")
        listed = Path(archive.options()[0].partition("=")[2])
        listed.write_text("java/lang/Object\n")
        make(archive.path, listed, str(program), "")
    assert len(list((tmp_path / "cache").glob("*.jsa"))) == KEPT
    (tmp_path / "file").write_text("")
    assert ClassArchive(str(program), [], tmp_path / "file" / "cache").options() == []

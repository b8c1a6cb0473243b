"""The German catalogue says all that the source says, completely, and is the compiled one."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import allauth
import polib
import pytest
from allauth.account.forms import ChangePasswordForm, ResetPasswordKeyForm
from django.conf import settings
from django.utils.translation import gettext, override

from dpgov.tenants.sign_in.words import OUR_WAY, UNTRANSLATED
from tests.servers.missing import find

ROOT = Path(settings.BASE_DIR)
HERE = Path("dpgov/language/locale/de/LC_MESSAGES/django.po")
ENGLISH = Path("dpgov/language/locale/en_GB/LC_MESSAGES/django.po")
# "100% sure" is no placeholder; "%s", "%(name)s" and "{name}" are, and "{name:,}" is "{name}".
_FILLED_IN = re.compile(r"%\(\w+\)[sd]|%[sd]\b|\{\w*(?=(?::[^{}]*)?\})")
_TAG = re.compile(r"</?\w+")
Key = tuple[str, str, str]


@pytest.fixture(scope="module")
def german() -> polib.POFile:
    return polib.pofile(str(ROOT / HERE))


def key_of(entry: polib.POEntry | polib.MOEntry) -> Key:
    return entry.msgctxt or "", entry.msgid, entry.msgid_plural or ""


def said_by(entry: polib.POEntry | polib.MOEntry) -> list[str]:
    """What the entry says in German: one sentence, or one for each plural form."""
    return list(entry.msgstr_plural.values()) if entry.msgid_plural else [entry.msgstr]


def filled_in(text: str) -> set[str]:
    return set(_FILLED_IN.findall(text))


def test_the_compiled_catalogue_is_the_one_that_was_written(german: polib.POFile) -> None:
    compiled = polib.mofile(str(ROOT / HERE.with_suffix(".mo")))
    written = {key_of(entry): said_by(entry) for entry in german}
    assert {key_of(entry): said_by(entry) for entry in compiled} == written
    assert compiled.metadata["Plural-Forms"] == german.metadata["Plural-Forms"]


def test_titles_of_the_sign_in_library_are_in_sentence_case_as_all_others() -> None:
    """English has a catalogue for nothing else; it changes letters' case and no word."""
    written = polib.pofile(str(ROOT / ENGLISH))
    compiled = polib.mofile(str(ROOT / ENGLISH.with_suffix(".mo")))
    assert {e.msgid: e.msgstr for e in compiled} == {e.msgid: e.msgstr for e in written}
    assert [e.msgid for e in written if e.msgid.casefold() != e.msgstr.casefold()] == []
    with override("en-gb"):
        assert gettext("Change Password") == "Change password"
        fields = ChangePasswordForm.base_fields | ResetPasswordKeyForm.base_fields
        labels = [str(field.label) for field in fields.values()]
        assert "New password (again)" in labels
        assert [label for label in labels if label != label.capitalize()] == []


def test_every_sentence_is_translated_without_doubt(german: polib.POFile) -> None:
    assert [entry.msgid for entry in german if entry.fuzzy or entry.obsolete] == []
    assert [entry.msgid for entry in german if not all(said_by(entry))] == []
    forms = {len(said_by(entry)) for entry in german if entry.msgid_plural}
    assert forms == {2}


def test_what_is_filled_in_is_the_same_in_both_languages(german: polib.POFile) -> None:
    wrong = [
        entry.msgid
        for entry in german
        if not entry.msgid_plural and filled_in(entry.msgid) != filled_in(entry.msgstr)
    ]
    assert wrong == []


def test_a_plural_fills_in_the_same_and_a_singular_no_more(german: polib.POFile) -> None:
    for entry in (entry for entry in german if entry.msgid_plural):
        one, many = said_by(entry)
        assert filled_in(many) == filled_in(entry.msgid_plural), entry.msgid
        assert filled_in(one) <= filled_in(entry.msgid_plural), entry.msgid


def test_markup_is_the_same_in_both_languages(german: polib.POFile) -> None:
    for entry in german:
        for said in said_by(entry):
            assert tags(said) == tags(entry.msgid), entry.msgid


def tags(text: str) -> list[str]:
    return sorted(_TAG.findall(text))


def test_the_catalogue_holds_the_sentences_of_the_source_and_no_other(
    german: polib.POFile, tmp_path: Path
) -> None:
    found, known = keys(_collected(tmp_path)), keys(german)
    assert found - known == set(), "run makemessages, translate, run compilemessages"
    assert known - found == set(), "run makemessages --no-obsolete, run compilemessages"


def keys(entries: Iterable[polib.POEntry]) -> set[Key]:
    return {key_of(entry) for entry in entries}


def _collected(folder: Path) -> polib.POFile:
    """The sentences of the source as it is now, collected in a copy of it."""
    find(["xgettext"], "gettext")
    for part in ("dpgov", "templates"):
        ignored = shutil.ignore_patterns("__pycache__", "LC_MESSAGES")
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    shutil.copy(ROOT / "manage.py", folder)
    command = [sys.executable, "manage.py", "makemessages", "--locale=de", "--verbosity=0"]
    home = {"DPGOV_HOME": str(folder / "home")}
    done = subprocess.run(
        command, cwd=folder, env=os.environ | home, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return polib.pofile(str(folder / HERE))


def test_the_sign_in_library_still_says_what_we_say_in_our_own_way() -> None:
    theirs = Path(allauth.__file__).parent / "locale/de/LC_MESSAGES/django.mo"
    known = {entry.msgid for entry in polib.mofile(str(theirs))}
    assert [sentence for sentence in OUR_WAY if sentence not in known] == []
    assert [sentence for sentence in UNTRANSLATED if sentence in known] == []

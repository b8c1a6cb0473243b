"""The page that describes the log's format says what the code writes."""

import json
import re

from dpgov.audit.actions import Action
from dpgov.audit.entry import FACT_NAMES, leaf_hash
from dpgov.audit.receipts.verify import CONSISTENCY, RECEIPT
from dpgov.oversight.log.words import WORDS
from tests.house import tree

PAGE = (tree.ROOT / "docs/audit-format.md").read_text()


def _section(title: str) -> str:
    return PAGE.split(f"\n## {title}\n")[1].split("\n## ")[0]


def test_the_page_names_every_member_of_an_entry_in_their_order() -> None:
    members = re.findall(r"^\| `(\w+)` \|", _section("An entry"), re.MULTILINE)
    assert members == sorted(FACT_NAMES)


def test_the_page_names_every_action_and_says_it_as_the_officer_s_pages_do() -> None:
    told = re.findall(r"^\| `(\w+)` \| (.+) \|$", _section("Actions"), re.MULTILINE)
    assert told == [(action.value, str(WORDS[action])) for action in Action]


def test_the_example_of_the_page_has_the_hash_that_stands_there() -> None:
    section = _section("Hash tree")
    (line,) = re.findall(r"```json\n(.+)\n```", section)
    (leaf,) = re.findall(r"```text\n(.+)\n```", section)
    assert leaf_hash(line.encode("ascii")).hex() == leaf
    canonical = json.dumps(json.loads(line), sort_keys=True, separators=(",", ":"))
    assert canonical == line


def test_the_page_names_the_forms_of_proofs() -> None:
    assert RECEIPT in _section("Receipt")
    assert CONSISTENCY in _section("Proof of consistency")

"""The Dockerfile as values: stages of instructions, in the exec form that we write."""

import json
from dataclasses import dataclass, field

from tests.house.tree import ROOT

PATH = ROOT / "docker/Dockerfile"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction with its whole text, continuation lines joined."""

    word: str
    text: str

    def in_exec_form(self) -> list[str]:
        """The program and its arguments; a shell string is not what we write there."""
        command: list[str] = json.loads(self.text[self.text.index("[") :])
        return command


@dataclass
class Stage:
    """One FROM and what follows."""

    base: str
    instructions: list[Instruction] = field(default_factory=list)

    def all(self, word: str) -> list[Instruction]:
        return [i for i in self.instructions if i.word == word]

    def environment(self) -> dict[str, str]:
        pairs = [part for i in self.all("ENV") for part in i.text.split()]
        return dict(pair.split("=", 1) for pair in pairs)


def stages() -> list[Stage]:
    """Every stage, in order."""
    found: list[Stage] = []
    for instruction in _instructions():
        if instruction.word == "FROM":
            found.append(Stage(instruction.text.split()[0]))
        else:
            found[-1].instructions.append(instruction)
    return found


def _instructions() -> list[Instruction]:
    lines = [line for line in PATH.read_text().splitlines() if not line.startswith("#")]
    joined = "\n".join(lines).replace("\\\n", " ")
    texts = [line.strip() for line in joined.splitlines() if line.strip()]
    return [Instruction(word, rest.strip()) for word, _, rest in (t.partition(" ") for t in texts)]

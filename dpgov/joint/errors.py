"""Why a joint question is not proposed or joined; after each refusal nothing has changed."""

from collections.abc import Sequence

from dpgov.approvals.errors import ApprovalRefusal, Stale
from dpgov.language.said import Said, said
from dpgov.language.spoken import SpokenRefusal


class JointRefusal(SpokenRefusal):
    """Base of all refusals; `str` is for people, `code` for the API."""

    code = "invalid"


class BadProposal(JointRefusal):
    """What was typed makes no joint question; `field` names what to change, if it is one thing."""

    def __init__(self, sentence: Said, field: str = "") -> None:
        self.field = field
        super().__init__(sentence)


class InPractice(JointRefusal):
    """The rows of people who practise are invented, and would spoil the total of the others."""

    code = "in_practice"

    def __init__(self) -> None:
        super().__init__(
            said(
                "People practise here on invented rows, which would spoil the others' total. "
                "Propose and join joint questions in your own organisation."
            )
        )


class CodeRefused(JointRefusal):
    """The code is wrong, or nothing can be joined by it any more; the words do not say which."""

    code = "code_refused"

    def __init__(self) -> None:
        super().__init__(
            said(
                "This code does not work. It may be mistyped, all places may be taken, or the "
                "joint question has ended. Ask the person who gave it to you."
            )
        )


class CodeExpired(JointRefusal):
    """It was right, and is too old; said to whoever has it, because nobody guesses a code."""

    code = "code_expired"

    def __init__(self, days: int) -> None:
        super().__init__(
            said(
                "This code is out of date: a joint question waits {days} days for everybody. Ask "
                "the person who gave it to you to propose the question again.",
                days=days,
            )
        )


class OwnCode(JointRefusal):
    """The code of one's own proposal is for the others."""

    code = "own_code"

    def __init__(self) -> None:
        super().__init__(
            said(
                "This is the code of your own organisation's proposal. Give it to the other "
                "organisations, and take part on the page of the proposal."
            )
        )


class TakesPart(JointRefusal):
    """An organisation has one place in a joint question."""

    code = "takes_part"

    def __init__(self) -> None:
        super().__init__(said("Your organisation takes part in this joint question already."))


class TooManyCodesTried(JointRefusal):
    """Codes are not for guessing."""

    code = "too_many_codes"

    def __init__(self) -> None:
        super().__init__(said("Too many codes were tried. Wait an hour and try again."))


class DeclaredOtherwise(JointRefusal):
    """The dataset says something else of the privacy unit or of a column that is used."""

    code = "declared_otherwise"

    def __init__(self, names: Sequence[str]) -> None:
        columns = ", ".join(name for name in names if name)
        if "" in names:
            super().__init__(
                said(
                    "This dataset protects another privacy unit or group than the joint question "
                    "is about. Every organisation has to declare the same."
                )
            )
        else:
            super().__init__(
                said(
                    "These columns are declared otherwise than in the joint question: {columns}. "
                    "Every organisation has to declare the same bounds, categories and rule for "
                    "missing values.",
                    columns=columns,
                )
            )


class NotTakingPart(JointRefusal):
    """There is nothing (any more) to leave: it was opened, or it has ended."""

    code = "too_late"

    def __init__(self) -> None:
        super().__init__(said("This joint question was opened or has ended. Nothing was changed."))


class NoPlace(Stale):
    """It was opened, is full, has expired, or this organisation takes part already."""

    def __init__(self) -> None:
        super().__init__(
            said("This joint question has no place left, or is out of date. Nothing was charged.")
        )


class PolicyRefuses(ApprovalRefusal):
    """The dataset's policy does not let this be asked; in the words of the policy."""

    code = "outside_policy"


class SharesBudget(ApprovalRefusal):
    """Another party's dataset is about the same people, who would be counted twice in the total."""

    code = "shares_budget"

    def __init__(self) -> None:
        super().__init__(
            said(
                "This dataset and that of another organisation in this joint question share a "
                "budget, because they are about the same people. A person in both would move the "
                "total twice, which costs more than the question is priced at. Nothing was charged."
            )
        )

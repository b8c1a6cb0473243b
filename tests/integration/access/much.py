"""Several of everything that a page lists, so that a page that asks for each of them is found."""

from collections.abc import Callable, Sequence
from datetime import timedelta

from django.utils import timezone

from dpgov.audit.actor import OPERATOR
from dpgov.audit.checkpoints.signing import make_checkpoint
from dpgov.budgets.models import Budget
from dpgov.budgets.services import allocate
from dpgov.budgets.services.raising import request_raise
from dpgov.budgets.services.shared_budgets import join_shared_budget
from dpgov.datasets.models import Dataset, Upload
from dpgov.notices.kinds import Kind
from dpgov.notices.models import Delivery, Event, Notice, State, Webhook
from dpgov.privacy.accounting.decimals import NANO
from dpgov.queries.models import BudgetRequest, Query
from dpgov.queries.workbench.budget_requests import ask_for_budget
from dpgov.queries.workbench.saved import save_question
from dpgov.tenants.invitations import invite
from dpgov.tenants.models import ApiToken, Membership, Project, ProjectMember, Role
from dpgov.tenants.selectors import actor_of
from tests.agreed import given_a_budget_of_its_own
from tests.cast import Ask, join
from tests.integration.access.world import World
from tests.small_dataset import register_small_dataset

SEVERAL = 5
_REASON = "there is more of everything"
_MEAN = ({"statistic": "mean", "column": "age"},)


def much_of_everything(world: World, ask: Ask, answer_all: Callable[[], int]) -> None:
    """Beside what the world has already, in the same tenant."""
    owner, analyst = world.people["owner"], world.people["analyst"]
    dataset = Dataset.objects.get(slug=world.own["slug"], tenant=owner.tenant)
    colleagues = [join(owner.tenant, Role.ANALYST, f"colleague-{n}") for n in range(SEVERAL)]
    datasets = [_dataset(owner, f"More {n}") for n in range(SEVERAL)]
    _questions(ask, [analyst, *colleagues])
    answer_all()
    _questions(ask, [analyst, *colleagues])
    _grants(dataset, colleagues)
    _budget_requests(dataset, datasets, analyst, colleagues)
    _requests(owner, datasets)
    _shared_budgets(world, dataset)
    _people(world, analyst)
    _notices(world)
    make_checkpoint(tenant_id=owner.tenant_id)


def _dataset(owner: Membership, name: str) -> Dataset:
    """With a budget of its own: the same people would share one."""
    dataset = register_small_dataset(owner, name=name)
    given_a_budget_of_its_own(dataset, label=name, limit_nano=10 * NANO)
    return dataset


def _questions(ask: Ask, people: Sequence[Membership]) -> None:
    for member in people:
        ask(member, epsilon=0.01)
        ask(member, epsilon=0.02, statistics=_MEAN, group_by=({"column": "sex"},))


def _grants(dataset: Dataset, holders: Sequence[Membership]) -> None:
    for holder in holders:
        allocate(
            dataset_budget=dataset.budget,
            holder=holder.user,
            limit_nano=NANO,
            actor=OPERATOR,
            reason=_REASON,
        )


def _budget_requests(
    dataset: Dataset,
    datasets: Sequence[Dataset],
    analyst: Membership,
    colleagues: Sequence[Membership],
) -> None:
    about = BudgetRequest.About.ALLOCATION
    wanted = [(colleague, dataset) for colleague in colleagues]
    for member, of in (*wanted, *((analyst, one) for one in datasets)):
        ask_for_budget(
            membership=member, dataset=of, about=about, epsilon_nano=2 * NANO, reason=_REASON
        )
    plan = Query.objects.filter(dataset=dataset).values_list("plan", flat=True)[0]
    for n in range(SEVERAL):
        save_question(membership=analyst, dataset=dataset, name=f"Kept {n}", plan=plan)


def _requests(owner: Membership, datasets: Sequence[Dataset]) -> None:
    for dataset in datasets:
        request_raise(membership=owner, budget=dataset.budget, limit_nano=20 * NANO, reason=_REASON)
        Upload.objects.create(
            tenant=owner.tenant,
            uploader=owner.user,
            original_name="more.csv",
            format="csv",
            byte_size=10,
            headers=["age", "sex"],
        )


def _shared_budgets(world: World, dataset: Dataset) -> None:
    join_shared_budget(
        shared_budget=Budget.objects.get(pk=world.own["shared_budget_id"]),
        dataset_budget=dataset.budget,
        actor=actor_of(world.people["owner"].user),
    )


def _people(world: World, analyst: Membership) -> None:
    tenant, admin = analyst.tenant, world.people["admin"]
    for n in range(SEVERAL):
        invite(membership=admin, email=f"more-{n}@example.org", role="analyst")
        project = Project.objects.create(tenant=tenant, name=f"Project {n}")
        ProjectMember.objects.create(tenant=tenant, project=project, user=analyst.user)
        ApiToken.objects.create(user=analyst.user, membership=analyst, name=f"more {n}")


def _notices(world: World) -> None:
    now, tenant = timezone.now() - timedelta(minutes=1), world.people["owner"].tenant
    webhook = Webhook.objects.get(pk=world.own["webhook_id"])
    for n in range(SEVERAL):
        event = Event.objects.create(
            tenant=tenant, key=f"more {n}", kind=Kind.HOLD, detail={"what": "frozen"}, due_at=now
        )
        Delivery.objects.create(
            tenant=tenant,
            webhook=webhook,
            event=event,
            due_at=now,
            state=State.SENT,
            next_attempt_at=now,
        )
        for role in ("owner", "analyst", "officer", "admin"):
            Notice.objects.create(
                tenant=tenant,
                event=event,
                person=world.people[role].user,
                in_app=True,
                due_at=now,
            )

"""The manifests for a cluster, read by rules: they say what the compose file says."""

import re
import tomllib
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from django.conf import settings as live

from dpgov.queries.answering.workers import alive_file, ready_file
from tests.house import settings_read, tree
from tests.house.deployment.test_units import OF_OTHERS, OURS

FOLDER = tree.ROOT / "docker/kubernetes"
FILES = sorted(path.name for path in FOLDER.glob("*.yaml") if path.name != "kustomization.yaml")
_OLDEST = "1.29"


def _documents(name: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / name).read_text()))


def _kustomization() -> dict[str, Any]:
    (found,) = _documents("kustomization.yaml")
    return found


def _pods() -> dict[str, dict[str, Any]]:
    """What each process runs as, by the names of the compose file."""
    every = [each for name in FILES for each in _documents(name)]
    running = [each for each in every if each["kind"] in ("Deployment", "Job")]
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in running}


def _containers(pod: dict[str, Any]) -> list[dict[str, Any]]:
    return [*pod["containers"], *pod.get("initContainers", [])]


def _environment(container: dict[str, Any]) -> dict[str, str]:
    (settings,) = _documents("settings.yaml")
    own = {each["name"]: each["value"] for each in container["env"]}
    return {**settings["data"], **own}


def _compose() -> dict[str, Any]:
    text = (tree.ROOT / "docker/compose.yaml").read_text()
    found: dict[str, Any] = yaml.safe_load(text)["services"]
    return found


@pytest.mark.parametrize("name", FILES)
def test_each_manifest_is_what_the_api_accepts(name: str) -> None:
    for each in _documents(name):
        kubernetes_validate.validate(each, _OLDEST, strict=True)


def test_every_manifest_is_applied_and_the_image_is_that_of_this_version() -> None:
    kustomization = _kustomization()
    assert sorted(kustomization["resources"]) == FILES
    version = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert kustomization["images"] == [{"name": "dpgov", "newTag": version}]
    assert {each["image"] for pod in _pods().values() for each in _containers(pod)} == {"dpgov"}


def test_the_same_processes_run_the_same_commands_as_in_the_compose_file() -> None:
    services = _compose()
    pods = _pods()
    assert set(pods) == set(OURS)
    for name, pod in pods.items():
        assert pod["containers"][0].get("command") == services[name].get("command"), name


def test_each_process_has_the_variables_and_secrets_that_it_has_there() -> None:
    for name, pod in _pods().items():
        there = _compose()[name]
        given = _environment(pod["containers"][0])
        assert set(given) == set(there["environment"]), name
        assert set(given) - OF_OTHERS <= settings_read.names()
        assert given["DPGOV_DATABASE_URL"] == there["environment"]["DPGOV_DATABASE_URL"], name
        (secrets,) = (volume["secret"] for volume in pod["volumes"] if "secret" in volume)
        assert {item["key"] for item in secrets["items"]} == set(there["secrets"]), name


def test_no_secret_is_written_into_a_manifest() -> None:
    for pod in _pods().values():
        for name, value in _environment(pod["containers"][0]).items():
            secret = re.search("KEY|TOKEN|PASSW", name)
            assert not secret or value.startswith(("/run/secrets/", "/keys/")), name
    assert not [name for name in FILES for one in _documents(name) if one["kind"] == "Secret"]


def test_every_container_may_do_little() -> None:
    for name, pod in _pods().items():
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        for container in _containers(pod):
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert container["resources"]["limits"]["memory"], name


def test_one_sweeper_signs_and_nobody_else_reaches_its_key_or_writes_checkpoints() -> None:
    """S20: also while a new version takes the place of the old one."""
    (sweeper,) = _documents("sweeper.yaml")
    assert (sweeper["spec"]["replicas"], sweeper["spec"]["strategy"]) == (1, {"type": "Recreate"})
    for name, pod in _pods().items():
        mounted = {one["name"]: one for each in _containers(pod) for one in each["volumeMounts"]}
        assert ("keys" in mounted) is (name == "sweeper")
        assert mounted["checkpoints"].get("readOnly", False) is (name != "sweeper")


def test_nothing_starts_before_the_tables_are_those_of_its_version() -> None:
    for name, pod in _pods().items():
        waits = [each["command"][-1] for each in pod.get("initContainers", [])]
        assert ("migrate --check" in " ".join(waits)) is (name != "migrate")


def _file_of(probe: dict[str, Any]) -> Path:
    (found,) = re.findall(r"find (\S+) -mmin", probe["exec"]["command"][-1])
    return Path(found)


def test_a_worker_that_is_not_ready_is_not_restarted_for_that() -> None:
    """A lost file, or a server that is away, comes back by no restart."""
    for name in ("worker", "reader"):
        (container,) = _pods()[name]["containers"]
        ready, alive = (_file_of(container[f"{one}Probe"]) for one in ("readiness", "liveness"))
        assert (ready.suffix, alive.suffix) == (".ready", ".alive"), name
        assert ready.with_suffix("") == alive.with_suffix("")
        told = ready.stem.replace("$HOSTNAME", "host")
        assert (ready_file(told).name, alive_file(told).name) == (
            f"{told}.ready",
            f"{told}.alive",
        )


def test_what_holds_data_has_no_way_out_of_the_cluster() -> None:
    """S20: by default only names, the database and the broker are reached."""
    closed, web, outwards = _documents("network.yaml")
    assert set(closed["spec"]["policyTypes"]) == {"Ingress", "Egress"}
    assert "ingress" not in closed["spec"]
    ports = {port["port"] for rule in closed["spec"]["egress"] for port in rule["ports"]}
    assert ports == {53, 5432, 6379}
    (label,) = _kustomization()["labels"]
    assert closed["spec"]["podSelector"]["matchLabels"] == label["pairs"]
    assert label["includeTemplates"] is True
    (expression,) = outwards["spec"]["podSelector"]["matchExpressions"]
    assert expression["values"] == ["web", "sweeper"]
    assert "egress" not in web["spec"]


def test_webhooks_and_letters_get_out_by_every_port_that_they_may_use() -> None:
    """What is asked for on a page must not end silently at a wall of the cluster."""
    outwards = _documents("network.yaml")[2]
    out = {port["port"] for rule in outwards["spec"]["egress"] for port in rule["ports"]}
    assert out == {*live.DPGOV_WEBHOOK_PORTS, 465, 587}


def _documented_patches(heading: str) -> list[dict[str, Any]]:
    text = (tree.ROOT / "docs/kubernetes.md").read_text().split(f"## {heading}\n")[1]
    found: list[dict[str, Any]] = yaml.safe_load(text.split("```yaml\n")[1].split("```")[0])
    return found


def _patched(document: dict[str, Any], step: dict[str, Any]) -> None:
    """One step of a JSON patch; what it replaces must be there, and what it adds must not."""
    *way, last = step["path"].strip("/").split("/")
    place: Any = document
    for part in way:
        place = place[int(part)] if isinstance(place, list) else place[part]
    if last == "-":
        place.append(step["value"])
    elif isinstance(place, list):
        place[int(last)] = step["value"]
    else:
        assert (last in place) is (step["op"] == "replace"), step["path"]
        place[last] = step["value"]


def _overlaid(heading: str) -> list[dict[str, Any]]:
    """Every manifest, with the patches that the page has under this heading."""
    every = [each for name in FILES for each in _documents(name)]
    for patch in _documented_patches(heading):
        kind, name = patch["target"]["kind"], patch["target"].get("name", ".*")
        meant = [
            each
            for each in every
            if re.fullmatch(kind, each["kind"]) and re.fullmatch(name, each["metadata"]["name"])
        ]
        assert meant, patch["target"]
        for each in meant:
            for step in yaml.safe_load(patch["patch"]):
                _patched(each, step)
    for each in every:
        kubernetes_validate.validate(each, _OLDEST, strict=True)
    return every


def test_workers_follow_what_waits_by_a_number_that_web_servers_tell() -> None:
    """Besides their processors, which say nothing of a question that none has taken."""
    (scaled,) = (
        each
        for each in _overlaid("How many")
        if (each["kind"], each["metadata"]["name"]) == ("HorizontalPodAutoscaler", "worker")
    )
    processors, waiting = scaled["spec"]["metrics"]
    assert processors["resource"]["name"] == "cpu"
    name = waiting["external"]["metric"]["name"]
    assert f'"{name}"' in (tree.ROOT / "dpgov/monitoring/metrics.py").read_text()
    page = (tree.ROOT / "docs/kubernetes.md").read_text()
    (rule,) = yaml.safe_load(page.rsplit("```yaml\n", 1)[1].split("```")[0])["externalRules"]
    assert rule["seriesQuery"].startswith(f"{name}{{")


def test_the_overlay_without_a_shared_folder_fits_every_manifest() -> None:
    """M55: each pod has a folder of its own, and what it needs to read the others' files."""
    every = _overlaid("Without a shared folder")
    (settings,) = (each["data"] for each in every if each["kind"] == "ConfigMap")
    assert set(settings) <= settings_read.names()
    wanted = {value.split("/")[-1] for value in settings.values() if "/run/secrets/" in value}
    for each in every:
        if each["kind"] in ("Deployment", "Job"):
            volumes = {one["name"]: one for one in each["spec"]["template"]["spec"]["volumes"]}
            assert "emptyDir" in volumes["data"], each["metadata"]["name"]
            assert wanted <= {one["key"] for one in volumes["secrets"]["secret"]["items"]}


def test_the_overlay_of_the_archive_gives_it_to_all_who_write_and_read_it() -> None:
    """A pod's own folder ends with it, and what left the log is nowhere else."""
    every = _overlaid("Commands of the owner")
    (settings,) = (each["data"] for each in every if each["kind"] == "ConfigMap")
    folder = settings["DPGOV_ARCHIVE_FOLDER"]
    for each in every:
        if each["kind"] in ("Deployment", "Job"):
            pod = each["spec"]["template"]["spec"]
            mounted = {
                one["mountPath"]: one["name"] for one in pod["containers"][0]["volumeMounts"]
            }
            volumes = {one["name"]: one for one in pod["volumes"]}
            assert "persistentVolumeClaim" in volumes[mounted[folder]], each["metadata"]["name"]


def test_a_command_of_the_owner_is_the_migration_s_job_by_another_name() -> None:
    page = (tree.ROOT / "docs/kubernetes.md").read_text().split("## Commands of the owner\n")[1]
    overlay = yaml.safe_load(page.split("```yaml\n")[2].split("```")[0])
    (patch,) = overlay["patches"]
    (job,) = _documents("migrate.yaml")
    for step in yaml.safe_load(patch["patch"]):
        _patched(job, step)
    kubernetes_validate.validate(job, _OLDEST, strict=True)
    assert job["metadata"]["name"] == "archive-log"
    (container,) = job["spec"]["template"]["spec"]["containers"]
    assert container["command"][1:3] == ["manage.py", "archive_log"]
    assert "dpgov_owner@" in _environment(container)["DPGOV_DATABASE_URL"]

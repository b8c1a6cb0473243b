"""The files of an installation, read by rules: no container engine is needed for that."""

import configparser
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.house import settings_read, tree
from tests.house.deployment import dockerfile

COMPOSE = tree.ROOT / "docker/compose.yaml"
UNITS = sorted((tree.ROOT / "docker/systemd").glob("*.service"))
PINNED = re.compile(r"[a-z0-9./-]+:(?!latest)[a-z0-9.-]*\d+\.\d+[a-z0-9.-]*@sha256:[0-9a-f]{64}")
OURS = ("migrate", "web", "worker", "reader", "sweeper")
HARDENED = {
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "CapabilityBoundingSet": "",
    "RestrictSUIDSGID": "yes",
    "SystemCallFilter": "@system-service",
}
# Read by gunicorn, by the metrics library and by the servers, not by us.
OF_OTHERS = {"WEB_CONCURRENCY", "PROMETHEUS_MULTIPROC_DIR", "GUNICORN_CMD_ARGS"}
_BIN = Path(sys.executable).parent


def _compose() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(COMPOSE.read_text())
    return found


def test_base_images_are_pinned_by_digest() -> None:
    """Whoever moves a tag elsewhere does not change what is built and run here."""
    images = [stage.base for stage in dockerfile.stages()]
    named = [s["image"] for s in _compose()["services"].values() if "build" not in s]
    # An installation may name others.
    images += [re.sub(r"^\$\{DPGOV_[A-Z]+_IMAGE:-(.+)\}$", r"\1", image) for image in named]
    assert [image for image in images if not PINNED.fullmatch(image)] == []


def test_the_image_holds_no_secret_and_fetches_nothing_by_address() -> None:
    for stage in dockerfile.stages():
        assert not stage.all("ADD")
        # An argument of a build stays in the image's history: the name of a group may.
        assert {argument.text for argument in stage.all("ARG")} <= {'GROUP=""'}
        assert not [name for name in stage.environment() if re.search("KEY|TOKEN|PASSW", name)]
    assert "://" not in re.sub("http://localhost:8000", "", dockerfile.PATH.read_text())


def test_a_web_server_keeps_a_connection_longer_than_any_proxy() -> None:
    """L25: in every command that the documentation and the installations start it with."""
    lines = [
        line
        for path in (*tree.ROOT.glob("docs/**/*.md"), *tree.ROOT.glob("docker/**/*"))
        if path.suffix in ("", ".md", ".service", ".yaml", ".sh") and path.is_file()
        for line in path.read_text().splitlines()
    ]
    lines += (tree.ROOT / "Procfile").read_text().splitlines()
    started = [
        line.replace('", "', " ")
        for line in lines
        if re.search("gunicorn.* dpgov.wsgi", line.replace('", "', " "))
    ]
    assert len(started) >= 5
    assert [
        line
        for line in started
        if "dpgov.wsgi --config python:dpgov.configuration.serving" not in line
    ] == []
    shown = [
        str(_BIN / "gunicorn"),
        "dpgov.wsgi",
        "--config",
        "python:dpgov.configuration.serving",
        "--print-config",
    ]
    config = subprocess.run(shown, cwd=tree.ROOT, capture_output=True, text=True, check=True).stdout
    (kept,) = re.findall(r"^keepalive\s+= (\d+)$", config, re.MULTILINE)
    assert int(kept) > 120, "Caddy keeps its end for two minutes, nginx for one"
    assert "keepalive" not in (tree.ROOT / "docker/Caddyfile").read_text()


def test_the_image_runs_as_nobody_in_particular() -> None:
    last = dockerfile.stages()[-1]
    user = last.all("USER")[-1].text
    assert int(user.split(":")[0]) > 1000
    words = [i.word for i in last.instructions]
    assert words.index("USER") < words.index("CMD")
    assert "RUN" not in words[words.index("USER") :]


def test_every_copied_path_is_in_the_tree_and_tests_are_not_copied() -> None:
    copied = [i.text for stage in dockerfile.stages() for i in stage.all("COPY")]
    sources = [path for text in copied if "--from" not in text for path in text.split()[:-1]]
    assert [path for path in sources if not (tree.ROOT / path).exists()] == []
    assert not {".", "tests", "bench", ".git", "var", "docker"} & set(sources)


def test_the_compose_file_is_what_the_specification_allows() -> None:
    command = [str(_BIN / "check-jsonschema"), "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run([*command, str(COMPOSE)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_documented_variable_reaches_the_processes_and_secrets_only_theirs() -> None:
    """By the map, or by a file that need not be there: nothing is swallowed without a word."""
    own = {"web": ["web.env"], "sweeper": ["sweeper.env"]}
    for name in OURS:
        files = _compose()["services"][name]["env_file"]
        assert [each["path"] for each in files] == ["settings.env", *own.get(name, [])], name
        assert {each["required"] for each in files} == {False}, name
    page = (tree.ROOT / "docs/configuration.md").read_text()
    listed = set(re.findall(r"`(DPGOV_\w+)`", "".join(re.findall(r"^\| `.*? \|", page, re.M))))
    # Nobody could change these by a file: what the map says of them wins.
    fixed = _compose()["services"]["web"]["environment"].keys() & listed
    told = (tree.ROOT / "docs/deployment.md").read_text()
    servers = re.compile("_URL$|_ROLE$|_FOLDER$|_FILE$|HOST|ORIGIN|PROXY|TIME_ZONE")
    assert "servers, roles, folders, files of secrets, and what" in told
    assert {name for name in fixed if not servers.search(name)} == set()


def test_the_overlays_pass_every_variable_of_theirs() -> None:
    """Of `.env`, which compose itself reads and no process does."""
    page = (tree.ROOT / "docs/configuration.md").read_text()
    for kind in ("STORE", "LIVE"):
        text = (tree.ROOT / f"docker/compose.{kind.lower()}.yaml").read_text()
        given = yaml.safe_load(text)["services"]["web"]["environment"]
        rows = re.findall(r"^\| (`DPGOV_\w+`(?:, `\w+`)*) \|", page, re.M)
        rows = [re.findall(r"\w+", row) for row in rows if row.startswith(f"`DPGOV_{kind}_")]
        # Certificates are a file that has to be mounted, too.
        missing = {row[0] for row in rows if not given.keys() & set(row)}
        assert missing <= {"DPGOV_STORE_CA_FILE"}


def test_what_is_stopped_may_end_what_it_does() -> None:
    """Web servers end the requests that are under way, for half a minute."""
    for name in ("web", "worker", "reader", "sweeper"):
        assert _compose()["services"][name]["stop_grace_period"] == "60s", name


def test_the_image_is_tagged_with_the_version() -> None:
    """T8: whoever starts the compose file runs what the tree holds."""
    version = tomllib.loads((tree.ROOT / "pyproject.toml").read_text())["project"]["version"]
    tags = {s["image"] for s in _compose()["services"].values() if "build" in s}
    assert tags == {f"dpgov:${{DPGOV_VERSION:-{version}}}"}


def test_our_containers_may_do_little_and_tell_whether_they_work() -> None:
    services = _compose()["services"]
    for name in OURS:
        service = services[name]
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["user"] == "10001:10001", name
        assert "no-new-privileges:true" in service["security_opt"], name
        assert service["deploy"]["resources"]["limits"]["memory"], name
    for name, service in services.items():
        assert service.get("restart"), name
        assert name in ("migrate", "web") or service["healthcheck"]["test"], name


def test_what_holds_data_has_no_way_out_of_the_machine() -> None:
    """S20: internal networks; the database has no capabilities and writes to its volume alone."""
    compose = _compose()
    assert compose["networks"]["inside"] == {"internal": True}
    out = {n for n, service in compose["services"].items() if "outside" in service["networks"]}
    assert out == {"proxy", "web", "sweeper"}
    database = compose["services"]["postgres"]
    assert (database["user"], database["read_only"]) == ("999:999", True)
    assert (database["cap_drop"], "cap_add" in database) == (["ALL"], False)


def test_no_unit_reaches_keys_that_are_not_its_own() -> None:
    """S20: folders that are made before any of them starts, so that no first start is open."""
    for path in UNITS:
        unit = path.read_text()
        made = "StateDirectory=dpgov dpgov-checkpoints dpgov/signing dpgov/joint_keys\n"
        assert made in unit
        signs = path.stem == "dpgov-sweeper"
        assert _closed(unit) == {"joint_keys"} | (set() if signs else {"signing"}), path.stem


def test_no_unit_reads_another_s_keys_by_way_of_its_process() -> None:
    """S20: they have one account, and the kernel asks for the namespace of users besides."""
    assert [path.stem for path in UNITS if "PrivateUsers=yes\n" not in path.read_text()] == []


def test_the_documented_unit_of_joint_answers_reaches_its_keys_and_not_the_one_that_signs(
    tmp_path: Path,
) -> None:
    page = (tree.ROOT / "docs/deployment.md").read_text().split("## Workers of joint answers")[1]
    _, block = re.findall(r"```(?:yaml|sh)\n(.*?)```", page, re.DOTALL)[:2]
    (command,) = re.findall(r"sed .*?\.service$", block, re.DOTALL | re.MULTILINE)
    shutil.copy(tree.ROOT / "docker/systemd/dpgov-worker.service", tmp_path)
    subprocess.run(["/bin/sh", "-c", command], cwd=tmp_path, check=True)
    unit = (tmp_path / "dpgov-joint-harbour-office.service").read_text()
    assert "manage.py joint_worker harbour-office --every 5\n" in unit
    assert _closed(unit) == {"signing"}
    assert "PrivateUsers=yes\n" in unit


def _closed(unit: str) -> set[str]:
    """Folders in the state folder that it cannot open; none may be missing at its start."""
    paths = re.findall(r"^InaccessiblePaths=(.*)$", unit, re.MULTILINE)
    return {one.removeprefix("%S/dpgov/") for line in paths for one in line.split()}


def test_the_application_never_holds_the_owner_s_password() -> None:
    """A7: what may change tables runs once, and is not the role that answers questions."""
    services = _compose()["services"]
    for name in ("web", "worker", "reader", "sweeper"):
        assert "owner_password" not in services[name]["secrets"]
        role = "dpgov_sweeper" if name == "sweeper" else "dpgov_app"
        assert f"{role}@" in services[name]["environment"]["DPGOV_DATABASE_URL"]
        other = "app_password" if name == "sweeper" else "sweeper_password"
        assert other not in services[name]["secrets"], "each its own"
        assert services[name]["depends_on"]["migrate"] == {
            "condition": "service_completed_successfully"
        }
    assert "dpgov_owner@" in services["migrate"]["environment"]["DPGOV_DATABASE_URL"]


def test_redis_has_a_password_and_no_network_but_ours() -> None:
    """L7, S2: in containers a network of its own without a way out; on Debian a password."""
    compose = _compose()
    redis = compose["services"]["redis"]
    assert redis["networks"] == ["queue"]
    assert compose["networks"]["queue"] == {"internal": True}
    assert "requirepass $$(cat /run/secrets/redis_password)" in str(redis["command"])
    assert redis["secrets"] == ["redis_password"]
    assert "ports" not in redis
    for name, service in compose["services"].items():
        assert ("queue" in service["networks"]) is (
            name in ("redis", "web", "worker", "reader", "sweeper")
        )
    for name in ("web", "worker", "reader", "sweeper", "migrate"):
        assert "redis_password" in compose["services"][name]["secrets"]
        unit = (tree.ROOT / f"docker/systemd/dpgov-{name}.service").read_text()
        assert "LoadCredential=redis_password:/etc/dpgov/redis_password" in unit
        assert "DPGOV_REDIS_PASSWORD_FILE=%d/redis_password" in unit
    assert "requirepass" in (tree.ROOT / "docs/deployment.md").read_text()


def test_no_secret_is_written_into_a_file_of_ours() -> None:
    for service in _compose()["services"].values():
        for name, value in service.get("environment", {}).items():
            secret = re.search("KEY|TOKEN|PASSW", name)
            assert not secret or str(value).startswith(("/run/secrets/", "/keys/")), name
        assert not re.search(r"://[^@/]*:[^@/]*@", str(service.get("environment", {})))


def test_every_variable_of_an_installation_is_one_that_is_read() -> None:
    known = settings_read.names() | OF_OTHERS
    given = {n for name in OURS for n in _compose()["services"][name].get("environment", {})}
    for path in [*UNITS, *(tree.ROOT / "docker/systemd").glob("*.example")]:
        given |= set(
            re.findall(r"^(?:Environment=)?([A-Z][A-Z0-9_]+)=", path.read_text(), re.MULTILINE)
        )
    given |= set(dockerfile.stages()[-1].environment()) - {"PATH"}
    assert {name for name in given - known if not name.startswith("PYTHON")} == set()


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.stem)
def test_a_unit_starts_what_the_environment_holds_and_is_locked_in(path: Path) -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(path.read_text())
    # In a unit a percent sign is written twice.
    program, *arguments = shlex.split(unit["Service"]["ExecStart"].replace("%%", "%"))
    assert (_BIN / Path(program).name).exists()
    assert program.startswith("/opt/dpgov/.venv/bin/")
    assert {name: unit["Service"][name] for name in HARDENED} == HARDENED
    assert unit["Service"]["User"] == "dpgov"
    if path.stem == "dpgov-migrate":
        assert arguments == ["manage.py", "migrate", "--noinput"]
    else:
        assert arguments in _procfile_commands()


def _procfile_commands() -> list[list[str]]:
    """The same commands without containers, however they are started: of those that stay.

    A process manager that reads the file stops them all when one of them ends.
    """
    lines = (tree.ROOT / "Procfile").read_text().splitlines()
    return [shlex.split(line.partition(": ")[2])[1:] for line in lines]

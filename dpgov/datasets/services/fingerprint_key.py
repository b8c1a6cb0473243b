"""The secret that files are recognised with, and the form of hashes that is made with it.

What was recorded with another one of either never compares with a new file.
"""

import hashlib

from django.conf import settings

from dpgov.datasets.models import RecognitionKey, Upload, VersionFingerprint
from dpgov.engines.fingerprint import FORM
from dpgov.language.said import said
from dpgov.language.spoken import SpokenRefusal


def key_id() -> str:
    """Names the secret of the installation without telling it, and the form of hashes under it."""
    return _id_of(f"id of {FORM}")


def is_of_this_key(name: str) -> bool:
    """Whether the secret is the same, in whatever form: to answer about what is stored already."""
    # The first form had no name.
    return name in (key_id(), _id_of("id"))


def _id_of(text: str) -> str:
    key = settings.DPGOV_FINGERPRINT_KEY
    return hashlib.blake2b(text.encode(), key=key, digest_size=8).hexdigest()


class FingerprintKeyChanged(SpokenRefusal):
    """The secret of fingerprints is not the one that earlier data was recorded with."""

    def __init__(self) -> None:
        super().__init__(
            said(
                "Nothing can be registered at present: this installation lost the key by which it "
                "recognises data. Ask the people who run it to put the earlier key back."
            )
        )


class EarlierForm(FingerprintKeyChanged):
    """Earlier data was recorded in a form of hashes that is not made any more.

    Nobody in it would be known again: the same people would get a fresh budget, another part of a
    divided one, and as many rows once more.
    """

    def __init__(self) -> None:
        SpokenRefusal.__init__(
            self,
            said(
                "Nothing can be registered here any more: an earlier version of this software "
                "recorded data in a way that this one does not recognise. Ask the people who run "
                "it for a new installation."
            ),
        )


def recognising_key() -> bytes:
    """The secret; raises FingerprintKeyChanged where anybody's data was recognised by another one.

    Whatever is known by it, files or live tables, would be unknown, and get a fresh budget. The
    first that an installation uses is the one.
    """
    known, _is_first = RecognitionKey.objects.get_or_create(pk=1, defaults={"name": key_id()})
    if not is_of_this_key(known.name):
        raise FingerprintKeyChanged
    key: bytes = settings.DPGOV_FINGERPRINT_KEY
    return key


def installation_key() -> bytes:
    """The same, for rows of files; raises EarlierForm where some were recorded in another form."""
    others = VersionFingerprint.objects.exclude(key_id=key_id()).values_list("key_id", flat=True)
    if (other := others.first()) is not None:
        raise EarlierForm if is_of_this_key(other) else FingerprintKeyChanged
    return recognising_key()


def check_key_for(upload: Upload | None) -> None:
    """Raises FingerprintKeyChanged or EarlierForm where earlier data would not be recognised.

    None: of what is derived from versions that are there.
    """
    if upload is not None and upload.live_id is not None:
        recognising_key()
    else:
        installation_key()

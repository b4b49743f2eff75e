"""Certificates for tests, and the settings of Dask that name them."""

import contextlib
import datetime
from dataclasses import dataclass
from pathlib import Path

import dask
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Pair:
    """Files of a certificate and its key, and of the certificate that vouches for it."""

    ca: str
    cert: str
    key: str

    @property
    def options(self):
        """For `dask scheduler` and `dask worker`."""
        return ("--tls-ca-file", self.ca, "--tls-cert", self.cert, "--tls-key", self.key)

    @property
    def settings(self):
        """Of Dask, for a client."""
        values = {"ca-file": self.ca, "client.cert": self.cert, "client.key": self.key}
        return {f"distributed.comm.tls.{name}": value for name, value in values.items()}

    @contextlib.contextmanager
    def as_client(self):
        """This process and those that it starts are clients with this pair."""
        with pytest.MonkeyPatch.context() as patch, dask.config.set(self.settings):
            for name, value in self.settings.items():
                variable = name.upper().replace(".", "__").replace("-", "_")
                patch.setenv(f"DASK_{variable}", value)
            yield


class Authority:
    """Signs certificates, all in one folder."""

    def __init__(self, folder, name):
        self._folder, self._name = Path(folder), name
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._subject = _subject(name)
        self.ca = self._write("ca.pem", self._signed(self._subject, self._key, 1, root=True))

    def pair(self, name, days=1):
        """A certificate that is valid for some days from now, or has been until some days ago."""
        key = ec.generate_private_key(ec.SECP256R1())
        pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
        private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
        return Pair(
            self.ca,
            self._write(f"{name}.pem", self._signed(_subject(name), key, days)),
            self._write(f"{name}.key", private),
        )

    def _signed(self, subject, key, days, root=False):
        now, day = datetime.datetime.now(datetime.UTC), datetime.timedelta(days=1)
        certificate = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - 9 * day)
            .not_valid_after(now + days * day)
            .add_extension(x509.BasicConstraints(ca=root, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM)

    def _write(self, name, content):
        path = self._folder / f"{self._name}_{name}"
        path.write_bytes(content)
        return str(path)


def _subject(name):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])

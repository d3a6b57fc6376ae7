"""The web server's socket, and the sentence for each reason it cannot be had."""

from __future__ import annotations

import pytest

from plans.supervise.listen import address, listen
from plans.supervise.refusals import CannotStart


def test_port_zero_takes_a_free_port_and_the_address_names_it():
    with listen("127.0.0.1", 0) as listener:
        assert address(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert listener.getsockname()[1] > 0


def test_all_addresses_are_shown_as_this_machine():
    with listen("0.0.0.0", 0) as listener:
        assert address(listener).startswith("http://localhost:")


def test_port_in_use_names_the_port_and_another_one():
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(CannotStart) as refused:
            listen("127.0.0.1", port)

    other = port + 1 if port < 65535 else 8001
    assert str(refused.value) == (
        f"Port {port} is in use by another program. Use another one: PLANS_PORT={other} make run"
    )


@pytest.mark.parametrize("host", ["192.0.2.1", "::1", "no.such.host.invalid"])
def test_address_that_is_not_this_machines_names_the_setting(host):
    with pytest.raises(CannotStart) as refused:
        listen(host, 0)

    assert str(refused.value).startswith(f"Cannot listen on {host}: ")
    assert "Set PLANS_HOST to an IPv4 address of this machine" in str(refused.value)

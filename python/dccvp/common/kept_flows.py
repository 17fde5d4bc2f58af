"""Functions for runs that keep no list of flows (`output.flows: sketch` or `none`)."""

from dccvp.common.ending import InputError


def keeps_flows(metrics):
    """Returns False if the run with these contents of metrics.json kept no list of its flows."""
    return metrics.get("flows", []) is not None


def no_flows(metrics, purpose):
    """Returns a sentence that says that `purpose` needs the list of flows, which this run did not keep."""
    return (f"{purpose} needs the list of flows, and this run kept none (output.flows: {metrics['sketch']['flows']}); "
            "write output.flows: all and run it again")


def need_flows(metrics, folder, purpose):
    """Raises InputError if the run kept no list of its flows. `purpose` names the operation that needs the list."""
    if not keeps_flows(metrics):
        raise InputError(f"'{folder}': {no_flows(metrics, purpose)}")

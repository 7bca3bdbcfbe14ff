"""Oracles of labels at a horizon: the definitions by loops over all rows. Imports nothing of ours."""

import numpy as np


def uncensored(t, time, is_censored, count=None):
    """The chance of not being censored before t (Kaplan and Meier), events before censorings of the same time."""
    count = np.ones(len(time)) if count is None else count
    chance = 1.0
    for u in np.unique(time[is_censored & (time < t)]):
        chance *= 1 - count[is_censored & (time == u)].sum() / count[at_risk(u, time, is_censored)].sum()
    return chance


def at_risk(u, time, is_censored):
    """Whose censoring could be at u."""
    return (time > u) | ((time == u) & is_censored)


def weights(time, status, horizon, count=None):
    """Of rows of status 0 (censored), 1 (event) or 2 (competing event)."""
    weight = np.zeros(len(time))
    for t in np.unique(np.minimum(time, horizon)):
        known = (np.minimum(time, horizon) == t) & ((status > 0) | (time >= horizon))
        weight[known] = 1 / uncensored(t, time, status == 0, count)
    return weight if count is None else weight * count


def cumulative_incidence(time, status, horizon):
    """Of the event by the horizon, by Aalen and Johansen; without competing ones, one less Kaplan and Meier."""
    survival, incidence = 1.0, 0.0
    for u in np.unique(time[(status > 0) & (time <= horizon)]):
        n_at_risk = (time >= u).sum()
        incidence += survival * ((time == u) & (status == 1)).sum() / n_at_risk
        survival *= 1 - ((time == u) & (status > 0)).sum() / n_at_risk
    return incidence


def with_estimated_weights(influence, time, status, horizon):
    """a_i plus the integral over the martingale of its censoring."""
    is_censored = (status == 0) & (time < horizon)
    changes = np.array(influence, dtype=float)
    until = np.minimum(time, horizon)
    for u in np.unique(time[is_censored]):
        risk = at_risk(u, until, is_censored)
        n_censored = (is_censored & (time == u)).sum()
        later = sum(a for a, x in zip(influence, until, strict=True) if x > u)
        for i in range(len(time)):
            martingale = float(is_censored[i] and time[i] == u) - risk[i] * n_censored / risk.sum()
            changes[i] += later / (risk.sum() - n_censored + 1) * martingale
    return changes


def auc_and_error_of_time_roc(time, is_event, score, horizon):
    """The AUC and its standard error as Blanche, Dartigues and Jacqmin-Gadda (2013) write them; no two times tie.

    The influence of row k on the numerator h is that on a U-statistic with known weights, and that of the weights,
    an integral over the censoring martingale of k divided by the share of rows at risk; likewise for the shares of
    cases and of controls.
    """
    n = len(time)
    kaplan_meier = np.array([uncensored(min(t, horizon), time, ~is_event) for t in time])
    cases = (is_event & (time <= horizon)) / kaplan_meier
    controls = (time > horizon) / kaplan_meier
    order = np.array([[1.0 * (a > b) + 0.5 * (a == b) for b in score] for a in score])
    h = cases[:, None] * controls * order
    integral = np.zeros((n, n))  # row j, column k: over the martingale of k, up to the time of j or the horizon
    for u in time[~is_event & (time < horizon)]:
        risk = time >= u
        martingale = (time == u) - risk / risk.sum()
        integral += np.outer(np.minimum(time, horizon) > u, martingale / risk.mean())
    of_h = h.mean(axis=1) + h.mean(axis=0) - 2 * h.mean()
    of_h += (h.sum(axis=1) + h.sum(axis=0)) @ integral / n**2
    of_cases = cases - cases.mean() + cases @ integral / n
    of_controls = controls - controls.mean() + controls @ integral / n
    auc = h.mean() / (cases.mean() * controls.mean())
    influence = (of_h - auc * (cases.mean() * of_controls + controls.mean() * of_cases)) / (
        cases.mean() * controls.mean()
    )
    return auc, influence.std(ddof=1) / np.sqrt(n)

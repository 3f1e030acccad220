"""Whatever raters do in whatever order: no score is lost, doubled, misplaced or one too many."""

from __future__ import annotations

import tempfile
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from core.services import annotating, studies
from core.services.annotating import Accepted, Assigned
from core.services.rated import ratings
from core.services.workspace import workspace
from tests.core.people.study_samples import OWNER, Clock, make_study, rater

RATERS = st.integers(1, 3)
SHOWN = st.integers(0, 2)


class Queue(RuleBasedStateMachine):
    """Three raters with up to three old screens each press whatever is on them; a model says what must be stored."""

    @initialize(n_items=st.integers(1, 5), needed=st.integers(1, 3), shared=st.sampled_from([0.0, 0.4]))
    def begin(self, n_items, needed, shared):
        self.patch = pytest.MonkeyPatch()
        self.folder = tempfile.TemporaryDirectory()
        self.patch.setenv("TRILENS_HOME", str(Path(self.folder.name) / "home"))
        self.clock = Clock(self.patch)
        self.study = make_study(n_items=n_items, n_raters=3, raters_per_item=needed, shared=shared)
        self.needed = needed
        self.screens: dict[int, list[Assigned]] = {1: [], 2: [], 3: []}
        # by (rater, item): what the last accepted press on it said
        self.said: dict[tuple[str, str], float | None] = {}
        self.undone: dict[tuple[str, str], float | None] = {}
        self.presses = 0

    def teardown(self):
        if hasattr(self, "folder"):
            workspace()[1].close()
            self.patch.undo()
            self.folder.cleanup()

    def item(self, assignment):
        _, store = workspace()
        return store.rows("SELECT item FROM study_assignments WHERE id = ?", (assignment,))[0]["item"]

    def settle(self):
        """An undone answer stands again once the store has taken its lease back."""
        _, store = workspace()
        for (who, item), value in list(self.undone.items()):
            (row,) = store.rows(
                "SELECT state FROM study_assignments WHERE rater = ? AND item = ?", (rater_id(who), item)
            )
            if row["state"] != "open":
                del self.undone[who, item]
                if row["state"] != "skipped":
                    self.said[who, item] = value

    @rule(number=RATERS)
    def look(self, number):
        found = annotating.next_assignment(rater(number), self.study.id)
        if isinstance(found, Assigned):
            self.screens[number] = [found, *self.screens[number]][:3]

    def pressed(self, number, shown, action, value=None):
        if len(self.screens[number]) <= shown:
            return
        screen, who = self.screens[number][shown], rater(number)
        found = (
            annotating.vote(who, screen.assignment, screen.token, value)
            if action == "vote"
            else getattr(annotating, action)(who, screen.assignment, screen.token)
        )
        self.presses += 1
        if isinstance(found, Accepted):
            key = (f"Rater {number}", self.item(screen.assignment))
            assert key not in self.said
            self.undone.pop(key, None)
            if action != "skip":
                self.said[key] = value

    @rule(number=RATERS, shown=SHOWN, value=st.sampled_from([0.0, 3.0, 7.0]))
    def vote(self, number, shown, value):
        self.pressed(number, shown, "vote", value)

    @rule(number=RATERS, shown=SHOWN)
    def cannot_judge(self, number, shown):
        self.pressed(number, shown, "cannot_judge")

    @rule(number=RATERS, shown=SHOWN)
    def skip(self, number, shown):
        self.pressed(number, shown, "skip")

    @rule(number=RATERS, shown=st.one_of(st.none(), SHOWN))
    def undo(self, number, shown):
        screens = self.screens[number]
        token = "" if shown is None or len(screens) <= shown else screens[shown].token
        found = annotating.undo(rater(number), self.study.id, token)
        self.presses += 1
        self.settle()
        if isinstance(found, Accepted):
            key = (f"Rater {number}", self.item(found.assignment))
            self.undone[key] = self.said.pop(key, None)

    @rule(minutes=st.sampled_from([1, 10, 29, 31, -20]))
    def wait(self, minutes):
        self.clock.move(60 * minutes)

    @rule(number=RATERS)
    def leave_and_come_back(self, number):
        studies.remove_rater(OWNER, self.study.id, rater(number).id)
        self.settle()
        studies.invite(OWNER, self.study.id, rater(number).id)

    @rule()
    def pause_and_resume(self):
        studies.pause(OWNER, self.study.id)
        studies.resume(OWNER, self.study.id)

    @invariant()
    def what_is_stored_is_what_was_accepted(self):
        if not hasattr(self, "study"):
            return
        self.settle()
        stored = {(one.rater, one.item): one.value for one in ratings(self.study.id).ratings}
        assert stored == self.said

    @invariant()
    def no_item_has_more_hands_than_it_needs(self):
        if not hasattr(self, "study"):
            return
        _, store = workspace()
        for row in store.rows(
            "SELECT i.is_shared, i.needed, i.held, (SELECT COUNT(*) FROM study_assignments AS a WHERE a.item = i.id "
            "AND a.state IN ('open', 'scored', 'cannot_judge')) AS hands FROM study_items AS i"
        ):
            assert row["held"] == row["hands"]
            assert row["is_shared"] or row["hands"] <= row["needed"]
        for row in store.rows("SELECT seconds, state, token FROM study_assignments"):
            assert row["seconds"] >= 0
            assert bool(row["token"]) == (row["state"] == "open")

    @invariant()
    def the_history_is_complete(self):
        if not hasattr(self, "study"):
            return
        rows = [one for number in (1, 2, 3) for one in annotating.history(rater(number), self.study.id)]
        assert sum(one.action not in ("expire", "restore") for one in rows) == self.presses


def rater_id(label: str) -> str:
    return rater(int(label.removeprefix("Rater "))).id


TestQueue = Queue.TestCase
TestQueue.settings = hypothesis.settings(max_examples=15, stateful_step_count=30, deadline=None)

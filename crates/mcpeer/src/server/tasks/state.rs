use std::{
    str::FromStr,
    time::{Duration, SystemTime},
};

use serde::{Deserialize, Serialize};

use crate::model::{
    RawJson, RawMap, RawObject,
    extensions::tasks::{CreateResult, Failure, Status, Task},
};

/// How a task stands, as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct State {
    /// Who made it.
    pub(super) owner: Option<String>,
    /// In milliseconds since 1970, as are all times.
    created: u64,
    updated: u64,
    ttl: u64,
    poll: u64,
    pub(super) status: Status,
    /// What it waits to be told.
    pub(super) questions: RawMap,
    /// What it was told, until its handler has it.
    pub(super) answers: RawMap,
    result: Option<RawJson>,
    error: Option<RawJson>,
}

/// What became of a call.
pub(super) enum Outcome {
    Completed(RawJson),
    Failed(Failure),
}

impl Outcome {
    pub(super) fn failed(code: i64, message: impl Into<String>) -> Self {
        Self::Failed(Failure::new(code, message))
    }
}

impl State {
    pub(super) fn new(owner: Option<&str>, now: SystemTime, ttl: Duration, poll: Duration) -> Self {
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX).max(1);
        let now = since_epoch(now);
        Self {
            owner: owner.map(str::to_owned),
            created: now,
            updated: now,
            ttl: millis(ttl),
            poll: millis(poll),
            status: Status::Working,
            questions: RawMap::new(),
            answers: RawMap::new(),
            result: None,
            error: None,
        }
    }

    pub(super) fn read(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    pub(super) fn write(&self) -> String {
        serde_json::to_string(self).expect("JSON and text can always be written")
    }

    pub(super) fn is_over(&self) -> bool {
        self.status.is_terminal()
    }

    pub(super) fn touch(&mut self, now: SystemTime) {
        self.updated = self.updated.max(since_epoch(now));
    }

    /// Says whether it waits to be told more.
    pub(super) fn settle(&mut self) {
        self.status = if self.questions.is_empty() { Status::Working } else { Status::InputRequired };
    }

    pub(super) fn end(&mut self, outcome: Option<&Outcome>) {
        (self.questions, self.answers) = (RawMap::new(), RawMap::new());
        match outcome {
            None => self.status = Status::Cancelled,
            Some(Outcome::Completed(result)) => {
                self.status = Status::Completed;
                self.result = Some(result.clone());
            }
            Some(Outcome::Failed(failure)) => {
                self.status = Status::Failed;
                self.error = RawJson::from_value(failure).ok();
            }
        }
    }

    /// Gives what the call is answered with that it was made of.
    pub(super) fn created(&self, id: &str) -> CreateResult {
        let (created, updated) = (timestamp(self.created), timestamp(self.updated));
        CreateResult::new(id, self.status.clone(), created, updated, Some(self.ttl)).poll_interval_ms(self.poll)
    }

    /// Gives what a client is told.
    pub(super) fn told(&self, id: &str) -> Task {
        let (created, updated) = (timestamp(self.created), timestamp(self.updated));
        let mut task = Task::new(id, self.status.clone(), created, updated, Some(self.ttl)).poll_interval_ms(self.poll);
        if self.status == Status::InputRequired {
            let questions = RawJson::from_value(&self.questions).and_then(|questions| questions.decode());
            task.input_requests = Some(questions.unwrap_or_default());
        }
        task.result = self.result.as_ref().and_then(|result| RawObject::from_str(result.as_str()).ok());
        task.error = self.error.as_ref().and_then(|error| error.decode().ok());
        task
    }
}

fn since_epoch(time: SystemTime) -> u64 {
    let passed = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)
}

/// Writes a time in ISO 8601, in UTC.
fn timestamp(millis: u64) -> String {
    let (days, rest) = (millis / 86_400_000, millis % 86_400_000);
    // Years begin in March here, so that the day that only some have is their last. 400 of them are 146,097 days.
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year_of_era + next;
    let (hour, minute) = (rest / 3_600_000, rest / 60_000 % 60);
    let (second, milli) = (rest / 1_000 % 60, rest % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_calendar_has_them() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399, "2000-02-28T23:59:59.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (951_868_800, "2000-03-01T00:00:00.000Z"),
            (1_785_196_800, "2026-07-28T00:00:00.000Z"),
            (4_107_542_399, "2100-02-28T23:59:59.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(timestamp(seconds * 1_000), text);
        }
        assert_eq!(timestamp(12), "1970-01-01T00:00:00.012Z");
    }
}

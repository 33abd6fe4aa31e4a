mod answers;
mod cancel;
mod deadlines;
mod progress;

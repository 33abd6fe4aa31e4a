mod message;
mod scan;

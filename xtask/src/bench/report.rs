//! Tables of what was measured.

use serde_json::{Value, json};

use super::{Over, Sample};

/// Prints CPU time per request and its ratio to the floor and to rmcp.
pub(crate) fn times(samples: &[Sample], as_json: bool) {
    let rows = rows(samples, |value| value["cpu_us"].as_f64());
    let rates = self::rows(samples, |value| value["per_s"].as_f64());
    if as_json {
        return print_json(&rows, "cpu_us", Some(&rates));
    }
    let rate = |row: &Row| rates.iter().find(|rate| rate.is_like(row)).map_or(0.0, |rate| rate.median);
    let runs = rows.first().map_or(0, |row| row.runs);
    for over in ways(&rows) {
        println!("\nServer CPU time per tools/call, 64 bytes over {}; median of {runs} runs\n", over.name());
        print_table(&rows, over, ["scenario", "µs (least..most)"], Some("calls/s"), |row| {
            let Row { median, least, most, .. } = row;
            (format!("{median:.2} ({least:.2}..{most:.2})"), format!(" {:.0} |", rate(row)))
        });
    }
}

/// Prints instructions per request.
pub(crate) fn instructions(samples: &[Sample], as_json: bool) {
    let rows = rows(samples, Value::as_f64);
    if as_json {
        return print_json(&rows, "instructions", None);
    }
    for over in ways(&rows) {
        println!("\nInstructions of the server per tools/call, 64 bytes over {}, user space\n", over.name());
        print_table(&rows, over, ["revision", "instructions"], None, |row| {
            (format!("{:.0}", row.median), String::new())
        });
    }
}

/// Prints memory per client.
pub(crate) fn memory(samples: &[Sample], as_json: bool) {
    let rows = rows(samples, |value| value["kib_per_session"].as_f64());
    if as_json {
        return print_json(&rows, "kib", None);
    }
    println!(
        "\nMemory of the server per client that does nothing; median of {} runs\n",
        rows.first().map_or(0, |row| row.runs)
    );
    print_table(&rows, Over::Http, ["scenario", "KiB (least..most)"], None, |row| {
        let Row { median, least, most, .. } = row;
        (format!("{median:.1} ({least:.1}..{most:.1})"), String::new())
    });
}

/// Gives the memory per client that a server keeps: the median, in KiB.
pub(crate) fn kept(samples: &[Sample], scenario: &str, peer: &str) -> Option<f64> {
    let rows = rows(samples, |value| value["kib_per_session"].as_f64());
    rows.iter().find(|row| row.scenario == scenario && row.peer == peer).map(|row| row.median)
}

struct Row {
    over: Over,
    scenario: String,
    peer: &'static str,
    median: f64,
    least: f64,
    most: f64,
    runs: usize,
}

impl Row {
    fn is_like(&self, other: &Self) -> bool {
        (self.over, &self.scenario, self.peer) == (other.over, &other.scenario, other.peer)
    }
}

/// What there are rows of.
fn ways(rows: &[Row]) -> Vec<Over> {
    [Over::Stdio, Over::Http].into_iter().filter(|over| rows.iter().any(|row| row.over == *over)).collect()
}

/// Prints the rows over one way, with what `cells` gives of each: the figure, and what comes last.
fn print_table(
    rows: &[Row],
    over: Over,
    [scenario, figure]: [&str; 2],
    last: Option<&str>,
    cells: impl Fn(&Row) -> (String, String),
) {
    let [floor, rmcp] = over.bases();
    let (last, line) = last.map_or((String::new(), ""), |last| (format!(" {last} |"), "---|"));
    println!("| {scenario} | server | {figure} | of {floor} | of {rmcp} |{last}\n|---|---|---|---|---|{line}");
    for row in rows.iter().filter(|row| row.over == over) {
        let (figure, last) = cells(row);
        let (of_floor, of_rmcp) = (ratio(rows, row, floor), ratio(rows, row, rmcp));
        println!("| {} | {} | {figure} | {of_floor} | {of_rmcp} |{last}", row.scenario, row.peer);
    }
}

/// Puts the samples of a scenario and server together, in the order in which they first came.
fn rows(samples: &[Sample], figure: impl Fn(&Value) -> Option<f64>) -> Vec<Row> {
    let mut keys: Vec<(Over, &String, &'static str)> = Vec::new();
    for sample in samples {
        let key = (sample.over, &sample.scenario, sample.peer);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let values = |key: (Over, &String, &str)| {
        let of_key = samples.iter().filter(move |sample| (sample.over, &sample.scenario, sample.peer) == key);
        let mut values: Vec<f64> = of_key.filter_map(|sample| figure(&sample.value)).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let with_values = keys.into_iter().map(|key| (key, values(key))).filter(|(_, values)| !values.is_empty());
    let row = |((over, scenario, peer), values): ((Over, &String, &'static str), Vec<f64>)| Row {
        over,
        scenario: scenario.clone(),
        peer,
        median: median(&values),
        least: values[0],
        most: values[values.len() - 1],
        runs: values.len(),
    };
    with_values.map(row).collect()
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

fn ratio(rows: &[Row], row: &Row, base: &str) -> String {
    let base = rows.iter().find(|other| other.over == row.over && other.scenario == row.scenario && other.peer == base);
    base.map_or("-".into(), |base| format!("{:.2}", row.median / base.median))
}

fn print_json(rows: &[Row], figure: &str, rates: Option<&[Row]>) {
    let rows: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let mut json = json!({
                "over": row.over.name(), "scenario": row.scenario, "server": row.peer, "runs": row.runs,
                figure: {"median": row.median, "least": row.least, "most": row.most},
            });
            if let Some(rate) = rates.and_then(|rates| rates.get(at)) {
                json["calls_per_second"] = rate.median.into();
            }
            json
        })
        .collect();
    println!("{:#}", json!(rows));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_a_server_become_one_row_with_their_median() {
        let over = Over::Stdio;
        let sample = |peer, cpu: f64| Sample { over, scenario: "calls".into(), peer, value: json!({"cpu_us": cpu}) };
        let samples =
            [sample("floor", 2.0), sample("rmcp", 9.0), sample("rmcp", 5.0), sample("floor", 4.0), sample("rmcp", 6.0)];
        let rows = rows(&samples, |value| value["cpu_us"].as_f64());
        let figures: Vec<_> = rows.iter().map(|row| (row.peer, row.median, row.least, row.most)).collect();
        assert_eq!(figures, [("floor", 3.0, 2.0, 4.0), ("rmcp", 6.0, 5.0, 9.0)]);
        assert_eq!(ratio(&rows, &rows[1], "floor"), "2.00");
        assert_eq!(ratio(&rows, &rows[1], "absent"), "-");
    }
}

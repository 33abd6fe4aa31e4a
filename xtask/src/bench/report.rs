//! Tables of what was measured.

use serde_json::{Value, json};

use super::Sample;

/// Prints CPU time per request and its ratio to the floor and to rmcp.
pub(crate) fn times(samples: &[Sample], as_json: bool) {
    let rows: Vec<Row> = rows(samples, |value| value["cpu_us"].as_f64());
    if as_json {
        let rates = self::rows(samples, |value| value["per_s"].as_f64());
        return print_json(&rows, "cpu_us", Some(&rates));
    }
    let rates = self::rows(samples, |value| value["per_s"].as_f64());
    println!(
        "\nServer CPU time per tools/call, 64 bytes over stdio; median of {} runs\n",
        rows.first().map_or(0, |row| row.runs)
    );
    println!("| scenario | server | µs (least..most) | of the floor | of rmcp | calls/s |\n|---|---|---|---|---|---|");
    for (row, rate) in rows.iter().zip(&rates) {
        let (floor, rmcp) = (ratio(&rows, row, "floor"), ratio(&rows, row, "rmcp"));
        let Row { scenario, peer, median, least, most, .. } = row;
        println!(
            "| {scenario} | {peer} | {median:.2} ({least:.2}..{most:.2}) | {floor} | {rmcp} | {:.0} |",
            rate.median
        );
    }
}

/// Prints instructions per request.
pub(crate) fn instructions(samples: &[Sample], as_json: bool) {
    let rows = rows(samples, Value::as_f64);
    if as_json {
        return print_json(&rows, "instructions", None);
    }
    println!("\nInstructions of the server per tools/call, 64 bytes over stdio, user space\n");
    println!("| revision | server | instructions | of the floor | of rmcp |\n|---|---|---|---|---|");
    for row in &rows {
        let (floor, rmcp) = (ratio(&rows, row, "floor"), ratio(&rows, row, "rmcp"));
        println!("| {} | {} | {:.0} | {floor} | {rmcp} |", row.scenario, row.peer, row.median);
    }
}

struct Row {
    scenario: String,
    peer: &'static str,
    median: f64,
    least: f64,
    most: f64,
    runs: usize,
}

/// Puts the samples of a scenario and server together, in the order in which they first came.
fn rows(samples: &[Sample], figure: impl Fn(&Value) -> Option<f64>) -> Vec<Row> {
    let mut keys: Vec<(&String, &'static str)> = Vec::new();
    for sample in samples {
        let key = (&sample.scenario, sample.peer);
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let values = |(scenario, peer): (&String, &str)| {
        let of_key = samples.iter().filter(move |sample| (&sample.scenario, sample.peer) == (scenario, peer));
        let mut values: Vec<f64> = of_key.filter_map(|sample| figure(&sample.value)).collect();
        values.sort_by(f64::total_cmp);
        values
    };
    let with_values = keys.into_iter().map(|key| (key, values(key))).filter(|(_, values)| !values.is_empty());
    let row = |((scenario, peer), values): ((&String, &'static str), Vec<f64>)| Row {
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
    let base = rows.iter().find(|other| other.scenario == row.scenario && other.peer == base);
    base.map_or("-".into(), |base| format!("{:.2}", row.median / base.median))
}

fn print_json(rows: &[Row], figure: &str, rates: Option<&[Row]>) {
    let rows: Vec<Value> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| {
            let mut json = json!({
                "scenario": row.scenario, "server": row.peer, "runs": row.runs,
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
        let sample = |peer, cpu: f64| Sample { scenario: "calls".into(), peer, value: json!({"cpu_us": cpu}) };
        let samples =
            [sample("floor", 2.0), sample("rmcp", 9.0), sample("rmcp", 5.0), sample("floor", 4.0), sample("rmcp", 6.0)];
        let rows = rows(&samples, |value| value["cpu_us"].as_f64());
        let figures: Vec<_> = rows.iter().map(|row| (row.peer, row.median, row.least, row.most)).collect();
        assert_eq!(figures, [("floor", 3.0, 2.0, 4.0), ("rmcp", 6.0, 5.0, 9.0)]);
        assert_eq!(ratio(&rows, &rows[1], "floor"), "2.00");
        assert_eq!(ratio(&rows, &rows[1], "absent"), "-");
    }
}

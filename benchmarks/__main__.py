"""`make bench`: every benchmark, one after the other, results printed and written to benchmarks/results/."""

from __future__ import annotations

import json

from benchmarks import coverage_speed, coverage_table, granularity_speed, llm_throughput, logic_speed, pages

if __name__ == "__main__":
    print(
        json.dumps(
            {
                "logic_speed": logic_speed.main(),
                "coverage_speed": coverage_speed.main(),
                "granularity_speed": granularity_speed.main(),
                "llm_throughput": llm_throughput.main(),
                "pages": pages.main(),
                "interval_coverage": coverage_table.main(),
            },
            indent=2,
        )
    )

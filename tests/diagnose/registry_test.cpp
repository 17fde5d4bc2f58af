// Tests the list of diagnoses and the page that describes them.
#include <fstream>
#include <set>
#include <sstream>

#include "synthetic_run.h"

namespace dcc::vp {
namespace {

TEST(Diagnoses, AreSortedAndSaidOnce) {
  std::string last;
  for (const DiagnosisEntry& entry : all_diagnoses()) {
    EXPECT_LT(last, entry.id);
    EXPECT_NE(entry.meaning.back(), '.') << entry.id;
    EXPECT_NE(entry.remedy.back(), '.') << entry.id;
    last = entry.id;
  }
  EXPECT_THROW(add_diagnosis({"idle_link", "", "", false, nullptr}), std::logic_error);
}

// Users' scripts refer to the ids of diagnoses, so an id must never be renamed or removed.
TEST(Diagnoses, KeepTheirIds) {
  std::set<std::string> ids;
  for (const DiagnosisEntry& entry : all_diagnoses()) ids.insert(entry.id);
  for (const char* const id : {"idle_link",
                               "timeouts_without_loss",
                               "lossless_loss",
                               "headroom_exceeds_buffer",
                               "weights_without_effect",
                               "unused_parameters",
                               "host_slower_than_port",
                               "traffic_ends_early",
                               "unequal_flows",
                               "standing_queue",
                               "starving_flows",
                               "few_samples",
                               "heavy_messages_late",
                               "host_busy_at_end",
                               "thresholds_beyond_buffer",
                               "slots_full",
                               "timers_late",
                               "pauses",
                               "nearly_all_marked",
                               "series_left_out",
                               "dcbx_differs",
                               "deadlock",
                               "network_split",
                               "settings_adapted",
                               "decrease_table_unwritten",
                               "notifications_lost",
                               "dma_faults",
                               "lone_queue_pairs",
                               "program_events_lost",
                               "program_faults",
                               "defaults_of_another_speed",
                               "flows_at_failed_ports",
                               "flows_left_out",
                               "flows_never_begun",
                               "memory_unused",
                               "races",
                               "weights_missed"}) {
    EXPECT_EQ(ids.erase(id), 1u) << id;
  }
  EXPECT_TRUE(ids.empty()) << "an id that this list lacks: " << *ids.begin();
}

TEST(Diagnoses, AreAllOnThePageAsTheyDescribeThemselves) {
  std::ifstream file(DCC_DIAGNOSES_PAGE);
  std::stringstream page;
  page << file.rdbuf();
  std::set<std::string> rows;
  for (std::string line; std::getline(page, line);) {
    if (line.rfind("| `", 0) == 0) rows.insert(line);
  }
  for (const DiagnosisEntry& entry : all_diagnoses()) {
    const std::string row = "| `" + entry.id + "` | " + entry.meaning + " | " + entry.remedy +
                            " | " + (entry.foreseen ? "yes" : "") + " |";
    EXPECT_EQ(rows.erase(row), 1u) << "docs/diagnoses.md lacks the line\n" << row;
  }
  EXPECT_TRUE(rows.empty()) << "no diagnosis: " << *rows.begin();
}

TEST(Diagnoses, FindNothingWhereAllIsWell) {
  SyntheticRun run;
  for (HostId sender = 1; sender <= 4; ++sender) run.add(sender, 0);
  run.use("s0->h0", 0.98);
  for (const Finding& finding : run.all()) ADD_FAILURE() << finding.id << ": " << finding.text;
}

}  // namespace
}  // namespace dcc::vp

"""Tests `dccvp import` and `dccvp export` of the parameters of network adapters: mlx5, irdma, bnxt_re."""

import import_samples as samples
import package
from import_case import Import

from dccvp.importers import bnxt, irdma, mlx5


class Adapters(Import):
    def test_mlx5_under_three_names(self):
        imported, yaml = self.read(mlx5, p_txt=samples.MLX5)
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "g": "5/1024", "increase_timer": "500us", "r_ai": "10Mbps",
            "cut_floor": "50/100"})
        self.assertEqual(yaml["nic"]["cnp"], {"interval": "50us"})
        self.assertEqual(yaml["nic"]["recovery"], {"adaptive": True})
        said = self.said(imported)
        for words in ("board_id", "roce_rp by priority (on for 3)", "roce_slow_restart_en 1"):
            self.assertIn(words, said)
        self.assertNotIn("roce_adp_retrans_en", said)
        off = samples.MLX5.replace("roce_adp_retrans_en | 0x00000001", "roce_adp_retrans_en | 0x00000000")
        self.assertEqual(self.read(mlx5, p_txt=off)[1]["nic"]["recovery"], {"adaptive": False})
        self.assertIn("is 0 to 1, not", self.refused(mlx5, p_txt="roce_adp_retrans_en | 0x00000002\n"))
        self.assertIn("1:1: rpg_gd without a number", self.refused(mlx5, p_txt="rpg_gd: eleven\n"))
        self.assertIn("1:12: cnp_dscp is 0 to 63, not '64'", self.refused(mlx5, p_txt="cnp_dscp : 64\n"))

    def test_mlxconfig_names_values_before_their_numbers(self):
        text = ("RPG_TIME_RESET_P1                   300\nCLAMP_TGT_RATE_P1                   False(0)\n"
                "CLAMP_TGT_RATE_AFTER_TIME_INC_P1    True(1)\nLINK_TYPE_P1                        ETH(2)\n")
        imported, yaml = self.read(mlx5, p_txt=text)
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "increase_timer": "300us", "clamp_target": "after_timer"})
        self.assertIn("LINK_TYPE_P1", self.said(imported))

    def test_the_current_values_of_three_columns(self):
        _, yaml = self.read(mlx5, p_txt="RPG_TIME_RESET_P1     300    400    500    \n"
                            "CLAMP_TGT_RATE_P1   False(0)    True(1)     False(0)  \nCNP_DSCP_P1  48\n")
        self.assertEqual(yaml["nic"], {"congestion_control": {
            "algorithm": "dcqcn", "preset": "adapter", "increase_timer": "400us", "clamp_target": "always"},
            "cnp": {"dscp": 48}})

    def test_how_an_adapter_cuts(self):
        imported, yaml = self.read(mlx5, p_txt="rp_gd: 12\nrp_min_dec_fac: 75\nrp_rate_to_set_on_first_cnp: 5000\n"
                                   "rp_clamp_tgt_rate: 1\n")
        self.assertEqual(yaml["nic"]["congestion_control"], {
            "algorithm": "dcqcn", "preset": "adapter", "cut_divisor": 4, "first_rate": "5Gbps", "cut_floor": "75/100",
            "clamp_target": "always"})
        self.assertEqual(imported.notes.not_expressed, [])
        imported, yaml = self.read(mlx5, p_txt="rate_to_set_on_first_cnp 0\nclamp_tgt_rate 0\n"
                                   "clamp_tgt_rate_after_time_inc 0\n")
        self.assertNotIn("first_rate", yaml["nic"]["congestion_control"])
        self.assertIn("clamp_tgt_rate_after_time_inc 0", "".join(imported.notes.not_expressed))
        self.assertIn("1:8: rpg_gd is 10 to 25, not '9'", self.refused(mlx5, p_txt="rpg_gd 9\n"))

    def test_irdma(self):
        imported, yaml = self.read(irdma, {"rtt": "8us"}, p_conf=samples.IRDMA)
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "f": 3, "increase_timer": "100us",
                                                             "byte_counter": "200KB", "r_ai": "2.048Gbps"})
        imported, yaml = self.read(irdma, p_conf=samples.IRDMA.replace("valid=1", "valid=0"))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn"})
        self.assertIn("no effect", self.said(imported))

    def test_flags_of_modules(self):
        text = "/sys/module/irdma/parameters/dcqcn_enable:Y\n/sys/module/irdma/parameters/dcqcn_T:{}\n"
        _, yaml = self.read(irdma, p_txt=text.format(100))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "increase_timer": "100us"})
        _, yaml = self.read(irdma, p_txt=text.format(100).replace(":Y", ":N"))
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "none"})

    def test_bnxt_configfs_has_names_of_its_own(self):
        place = "/sys/kernel/config/bnxt_re/bnxt_re0/ports/1/cc/"
        pairs = ("ecn_enable:0x1", "ecn_marking:0x1", "cc_mode:1", "g:0x8", "roce_dscp:26", "roce_prio:3",
                 "cnp_dscp:48", "cnp_prio:7")
        text = "".join(f"{place}{pair}\n" for pair in pairs)
        imported, yaml = self.read(bnxt, p_txt=text)
        self.assertEqual(yaml["nic"], {"congestion_control": {"algorithm": "dcqcn", "g": "1/256"},
                                       "cnp": {"dscp": 48, "priority": 7}})
        self.assertEqual(imported.notes.ignored, [])
        self.assertIn("roce_prio 3", imported.notes.not_expressed)
        _, yaml = self.read(bnxt, p_txt=place + "ecn_enable:0x0\n")
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "none"})

    def test_bnxt(self):
        imported, yaml = self.read(bnxt, p_txt=samples.BNXT)
        self.assertEqual(yaml["nic"]["congestion_control"], {"algorithm": "dcqcn", "g": "1/256"})
        self.assertIn("probabilistic", self.said(imported))


if __name__ == "__main__":
    package.main()

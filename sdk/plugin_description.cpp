// Compiled into every plug-in: the interface version for which the plug-in was built.
#include "controller/plugin.h"

#ifndef DCCVP_PLUGIN_INTERFACE  // Tests define another version.
#define DCCVP_PLUGIN_INTERFACE dcc::kPluginInterface
#endif

extern "C" {
extern const dcc::PluginDescription dccvp_plugin __attribute__((visibility("default")));
const dcc::PluginDescription dccvp_plugin __attribute__((used, section(".dccvp_plugin"))) = {
    {'d', 'c', 'c', 'v', 'p', ' ', 'p', 'l', 'u', 'g', '-', 'i', 'n', 0, 0, 0},
    DCCVP_PLUGIN_INTERFACE,
    dcc::plugin_layout()};
}

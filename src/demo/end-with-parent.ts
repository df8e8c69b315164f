// Loaded into every peer of the demo: when the demo is killed, its peers end too.

process.once('disconnect', () => process.exit())
process.channel?.unref()

// Loaded into a peer before its program: says so when its main thread worked for longer than a second without letting anything else
// have its turn. By processor time, so that a busy machine is not taken for a busy peer; and without the time that it takes to load
// the program's modules, nearly a second at each start, which no message can cause.

import { subscribe } from 'node:diagnostics_channel'

const everyMs = 100
const freezeMs = 1_000

let last = process.threadCpuUsage()
subscribe('tracing:module.import:asyncEnd', () => {
  last = process.threadCpuUsage()
})
setInterval(() => {
  const now = process.threadCpuUsage()
  const tookMs = (now.user + now.system - last.user - last.system) / 1_000
  last = now
  if (tookMs > freezeMs) process.stderr.write(`FREEZE of ${Math.round(tookMs)} ms\n`)
}, everyMs).unref()

// `npm run torture -- store [--rounds N | --minutes M] [--seed S]`: kills a process that writes to a store, at random
// moments, until something is lost or time is up. The tests run the same for 200 rounds.
//
// `npm run torture -- ring [--rounds N | --minutes M] [--seed S]`: kills, pauses and parts eight real peers, at random, and
// waits each time until they agree on every owner again: see e2e/ring/ring-torture.ts.
//
// `npm run torture -- network [MINUTES] [--peers N] [--seed S]`: seven real peers crawl a web together, in trouble for so long
// (10 minutes unless told); then nothing may lack: see e2e/network/network-torture.ts.
//
// `npm run torture -- security [WORD…] [--short] [--each] [--write] [--seed S]`: a hostile member among real peers tries every
// attack, or those with a word in their names: see e2e/security/security-torture.ts. `--write` writes docs/security.md.
//
// `npm run torture -- hostile [--messages N] [--seed S]`: a member that means harm sends so many spoilt messages (1,000,000 unless told)
// to three real peers, of which none may end, freeze or lose anything: see e2e/hostile/hostile-torture.ts.
//
// `npm run torture -- judges`: warcio, pywb and ReplayWeb.page read what we export: see e2e/judges/judges-torture.ts.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { StoreTorture } from '../e2e/torture/store-torture.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: 'Infinity' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string', default: String(Date.now()) },
    peers: { type: 'string', default: '7' },
    messages: { type: 'string', default: '1000000' },
    short: { type: 'boolean', default: false },
    each: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [name = '', ...rest] = positionals
const isSecurity = name === 'security'
const isNetwork = name === 'network' && rest.length <= 1
const isOther = ['store', 'ring', 'hostile', 'judges'].includes(name) && rest.length === 0
if (values.help || !(isSecurity || isNetwork || isOther)) {
  console.error('Usage: npm run torture -- store|ring [--rounds N | --minutes M] [--seed S]')
  console.error('       npm run torture -- network [MINUTES] [--peers N] [--seed S]')
  console.error('       npm run torture -- hostile [--messages N] [--seed S]')
  console.error('       npm run torture -- judges')
  console.error('       npm run torture -- security [WORD…] [--short] [--each] [--write] [--seed S]')
  process.exit(values.help ? 0 : 64)
}
if (isSecurity) {
  const { attackFromCommandLine } = await import('../e2e/security/security-torture.ts')
  const { short: isShort, each: restartsEach, write: writes, seed } = values
  process.exit(await attackFromCommandLine({ words: rest, isShort, restartsEach, writes, seed }))
}
if (isNetwork) {
  const { tortureFromCommandLine } = await import('../e2e/network/network-torture.ts')
  process.exit(await tortureFromCommandLine({ ...values, minutes: rest[0] }))
}
if (name === 'hostile') {
  const { tortureWithHostile } = await import('../e2e/hostile/hostile-torture.ts')
  const { messages, seed } = values
  const failures = await tortureWithHostile({ messages: Number(messages), seed, tell: console.log })
  for (const failure of failures) console.error(failure)
  console.log(failures.length === 0 ? 'All held.' : `${failures.length} failures.`)
  process.exit(failures.length === 0 ? 0 : 1)
}
if (name === 'judges') {
  const { judgeExports } = await import('../e2e/judges/judges-torture.ts')
  process.exit(await judgeExports(console.log))
}
if (name === 'ring') {
  const { tortureRing } = await import('../e2e/ring/ring-torture.ts')
  const { rounds, minutes, seed } = values
  await tortureRing({ rounds: Math.min(Number(rounds), 1_000_000), minutes: Number(minutes), seed })
  process.exit(0)
}

const folder = await mkdtemp(join(tmpdir(), 'polyhistor-torture-'))
const torture = new StoreTorture(join(folder, 'store'), values.seed)
const startMs = Date.now()
const endsAtMs = startMs + Number(values.minutes) * 60_000
console.log(`Seed ${values.seed}, store in ${folder}`)
try {
  while (torture.figures.rounds < Number(values.rounds) && Date.now() < endsAtMs) {
    await torture.round()
    const { rounds, acknowledged, captures, volumes } = torture.figures
    if (rounds % 20 !== 0) continue
    const seconds = Math.round((Date.now() - startMs) / 1_000)
    console.log(
      `${rounds} rounds in ${seconds} s: ${acknowledged} acknowledged, ${captures} captures in ${volumes} volumes, nothing lost`,
    )
  }
  await torture.check({ isThorough: true })
} finally {
  await torture.end()
}
console.log(`${torture.figures.rounds} rounds, ${torture.figures.acknowledged} acknowledged, nothing lost.`)
await rm(folder, { recursive: true, force: true })

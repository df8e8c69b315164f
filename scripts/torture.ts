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
// `npm run torture -- sites [NAME…] [--browser auto|always] [--write]`: sites built from npm packages are crawled with a browser and
// replayed when they are gone: see e2e/browser/sites/sites-torture.ts.
//
// `npm run torture -- changes [--events N] [--minutes M] [--peers N] [--seed S]`: so many events (100,000 unless told) on five real peers that
// are killed, paused and replaced while consumers move between them, in at most M minutes (30 unless told): see e2e/network/changes-torture.ts.
//
// `npm run torture -- search [--peers N] [--queries N] [--pages N]`: real peers (8) are asked so many queries (1,000) of so many pages (2,000);
// all must find what one index finds, also with two killed: see e2e/network/search-torture.ts.
//
// `npm run torture -- soak [--minutes M] [--peers N] [--seed S] [--write]`: three real peers archive a web that changes all the time and are read
// meanwhile, for an hour unless told: memory, descriptors and disk must not grow without bound: see e2e/soak/soak-torture.ts.
//
// `npm run torture -- volunteers [--peers N] [--seed S]`: three real peers crawl with twenty volunteers, of which five are killed, three forge and
// two are slow; all must be kept once, true and politely: see e2e/network/volunteers-torture.ts.
//
// `npm run torture -- docs [PAGE…]`: runs every command that the documentation shows: see e2e/docs/docs-torture.ts.
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
    peers: { type: 'string' },
    events: { type: 'string', default: '100000' },
    messages: { type: 'string', default: '1000000' },
    queries: { type: 'string', default: '1000' },
    pages: { type: 'string', default: '2000' },
    short: { type: 'boolean', default: false },
    each: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    browser: { type: 'string', default: 'always' },
    help: { type: 'boolean', default: false },
  },
})
const [name = '', ...rest] = positionals
const isSecurity = name === 'security'
const isSites = name === 'sites'
const isDocs = name === 'docs'
const isNetwork = name === 'network' && rest.length <= 1
const isOther =
  ['store', 'ring', 'hostile', 'judges', 'changes', 'search', 'soak', 'volunteers'].includes(name) &&
  rest.length === 0
if (values.help || !(isSecurity || isSites || isDocs || isNetwork || isOther)) {
  console.error('Usage: npm run torture -- store|ring [--rounds N | --minutes M] [--seed S]')
  console.error('       npm run torture -- network [MINUTES] [--peers N] [--seed S]')
  console.error('       npm run torture -- hostile [--messages N] [--seed S]')
  console.error('       npm run torture -- changes [--events N] [--minutes M] [--peers N] [--seed S]')
  console.error('       npm run torture -- search [--peers N] [--queries N] [--pages N]')
  console.error('       npm run torture -- volunteers [--peers N] [--seed S]')
  console.error('       npm run torture -- soak [--minutes M] [--peers N] [--seed S] [--write]')
  console.error('       npm run torture -- judges')
  console.error('       npm run torture -- docs [PAGE…]')
  console.error('       npm run torture -- sites [NAME…] [--browser auto|always] [--write]')
  console.error('       npm run torture -- security [WORD…] [--short] [--each] [--write] [--seed S]')
  process.exit(values.help ? 0 : 64)
}
if (isSecurity) {
  const { attackFromCommandLine } = await import('../e2e/security/security-torture.ts')
  const { short: isShort, each: restartsEach, write: writes, seed } = values
  process.exit(await attackFromCommandLine({ words: rest, isShort, restartsEach, writes, seed }))
}
if (isSites) {
  const { tortureSites } = await import('../e2e/browser/sites/sites-torture.ts')
  process.exit(await tortureSites({ names: rest, mode: values.browser, writes: values.write }))
}
if (isDocs) {
  const { runDocsCommands } = await import('../e2e/docs/docs-torture.ts')
  process.exit(await runDocsCommands(rest, console.log))
}
if (name === 'volunteers') {
  const { tortureVolunteersFromCommandLine } = await import('../e2e/network/volunteers-torture.ts')
  process.exit(await tortureVolunteersFromCommandLine({ seed: values.seed, peers: values.peers }))
}
if (isNetwork) {
  const { tortureFromCommandLine } = await import('../e2e/network/network-torture.ts')
  process.exit(await tortureFromCommandLine({ ...values, peers: values.peers ?? '7', minutes: rest[0] }))
}
if (name === 'search') {
  const { tortureSearch } = await import('../e2e/network/search-torture.ts')
  const [peers, queries, pages] = [values.peers ?? '8', values.queries, values.pages].map(Number)
  const numbers = { peers: peers!, queries: queries!, pages: pages! }
  const failures = await tortureSearch({ seed: values.seed, ...numbers, tell: console.log })
  for (const failure of failures) console.error(failure)
  console.log(failures.length === 0 ? 'All held.' : `${failures.length} failures.`)
  process.exit(failures.length === 0 ? 0 : 1)
}
if (name === 'hostile') {
  const { tortureWithHostile } = await import('../e2e/hostile/hostile-torture.ts')
  const { messages, seed } = values
  const failures = await tortureWithHostile({ messages: Number(messages), seed, tell: console.log })
  for (const failure of failures) console.error(failure)
  console.log(failures.length === 0 ? 'All held.' : `${failures.length} failures.`)
  process.exit(failures.length === 0 ? 0 : 1)
}
if (name === 'changes') {
  const { tortureChanges } = await import('../e2e/network/changes-torture.ts')
  const tell = (sentence: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${sentence}`)
  const [events, peers, minutes] = [values.events, values.peers ?? 5, values.minutes].map(Number)
  const minutesMax = Number.isFinite(minutes) ? minutes! : 30
  const limits = { events: events!, peers: peers!, minutesMax }
  process.exit(await tortureChanges({ ...limits, seed: values.seed, tell }))
}
if (name === 'soak') {
  const { soak } = await import('../e2e/soak/soak-torture.ts')
  const minutes = Number.isFinite(Number(values.minutes)) ? Number(values.minutes) : 60
  const { seed, write: writes } = values
  process.exit(await soak({ minutes, peers: Number(values.peers ?? 3), seed, writes, tell: console.log }))
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

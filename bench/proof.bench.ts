// `npm run bench -- proof [--rounds 5] [--hosts 20] [--pages 100]`: what signatures and the log cost.
//
// - Crawls of the same generated web with `crawl.sign` on and off, which take turns within every round: the ratio of their rates, of
//   their processor time, and what a capture takes more on disk.
// - Signing and verifying, one core, by how many captures are signed together; and verifying what the crawl left.
//
// Rates of signing and verifying are by processor time of one thread: others may keep the machine busy.
// Verified is what has not been seen before: the cache of signatures that hold is only of use for captures signed together.

import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../src/app/store/store-library.ts'
import { type CaptureSignature, holds, parseSignature, signCaptures } from '../src/proof/capture-signature.ts'
import { type CapturedFacts, headDigestOf } from '../src/proof/capture-statement.ts'
import { SigningKey } from '../src/proof/ed25519.ts'
import { type CrawlContender, polyhistor, withSettings } from './crawl/contender.ts'
import { webShapeDefault } from './crawl/generated-web.ts'
import { OriginProcess } from './crawl/origin-process.ts'
import { runTrial, type Trial } from './crawl/trial.ts'
import { median, printTable } from './measure.ts'

interface Signed {
  readonly facts: CapturedFacts
  readonly signature: CaptureSignature
}

const verifiedGoal = 20_000
const ratioGoal = 0.95
const captureCount = 8_192

export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      rounds: { type: 'string', default: '5' },
      hosts: { type: 'string', default: '20' },
      pages: { type: 'string', default: '100' },
    },
  })
  for (const together of [1, 4, 8, 16]) measureBatches(together)
  const pages = Number(values.pages)
  const shape = { ...webShapeDefault, hosts: Number(values.hosts), pages, images: Math.min(pages, 20) }
  const origin = await OriginProcess.start(shape)
  try {
    await measureCrawls(origin, Number(values.rounds))
    await measureCrawled(origin)
  } finally {
    await origin.stop()
  }
}

function measureBatches(together: number): void {
  const key = new SigningKey(Buffer.alloc(32, 1))
  const captures = Array.from({ length: captureCount }, (_, number) => ({
    facts: factsOf(number + together * captureCount),
    isImported: false,
  }))
  const startMs = processorMs()
  const fields: string[] = []
  for (let at = 0; at < captures.length; at += together)
    for (const { field } of signCaptures(key, captures.slice(at, at + together), at + 1)) fields.push(field)
  const signedMs = processorMs() - startMs
  const signed = fields.map((field, place) => ({
    facts: captures[place]!.facts,
    signature: parseSignature(field)!,
  }))
  const bytes = fields[0]!.length * 0.75
  console.log(
    `${together} signed together: ${perSecond(captureCount, signedMs)} signed, ${perSecond(captureCount, verifyMs(signed))} verified a second of a core, ${bytes.toFixed(0)} bytes each`,
  )
}

async function measureCrawls(origin: OriginProcess, rounds: number): Promise<void> {
  const contenders = [crawlWith('yes'), crawlWith('no')]
  const trials = contenders.map((): Trial[] => [])
  for (let round = 0; round < rounds; round++)
    for (const place of round % 2 === 0 ? [0, 1] : [1, 0])
      trials[place]!.push(await runTrial(contenders[place]!, origin))
  const [signed, unsigned] = trials as [Trial[], Trial[]]
  const ratio = (value: (trial: Trial) => number): string =>
    median(signed.map((trial, round) => value(trial) / value(unsigned[round]!))).toFixed(3)
  const rows = contenders.map(({ name }, place) => [
    name,
    median(trials[place]!.map(({ fetched, seconds }) => fetched / seconds)).toFixed(0),
    median(trials[place]!.map(({ processorSeconds }) => processorSeconds)).toFixed(2),
    median(trials[place]!.map(({ diskMegabytes }) => diskMegabytes)).toFixed(2),
  ])
  console.log(`\n${printTable(['', 'URLs/s', 'CPU s', 'disk MB'], rows)}`)
  const moreBytes = median(
    signed.map((trial, round) => {
      return ((trial.diskMegabytes - unsigned[round]!.diskMegabytes) * 1e6) / trial.fetched
    }),
  )
  console.log(
    `URLs/s with signatures over without: ${ratio((trial) => trial.fetched / trial.seconds)} (goal: >= ${ratioGoal}); CPU: ${ratio((trial) => trial.processorSeconds)}; ${moreBytes.toFixed(0)} bytes more a capture on disk`,
  )
}

/** What a crawl at full speed leaves: pages are signed together as they happen to come together. */
async function measureCrawled(origin: OriginProcess): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'proof-bench-'))
  try {
    const { file, words } = crawlWith('yes').command(origin, folder)
    spawnSync(file, words, { stdio: 'ignore' })
    const store = await openStore(join(folder, 'home', 'store'))
    const signed: Signed[] = []
    for (const capture of store.scan({ kind: 'all' })) {
      const { facts, field } = await store.proof(capture)
      // Parsed anew: reading has verified it, and remembers that.
      if (field !== undefined) signed.push({ facts, signature: parseSignature(field)! })
    }
    await store.close()
    const together = signed.reduce((sum, { signature }) => sum + 1 / signature.count, 0)
    const fresh = signed.slice(0, captureCount)
    console.log(
      `\nof a crawl: ${signed.length} captures, ${(signed.length / together).toFixed(1)} signed together; ${perSecond(fresh.length, freshVerifyMs(fresh))} verified/s a core (goal: >= ${verifiedGoal})`,
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** In another process, whose cache is empty. */
function freshVerifyMs(signed: readonly Signed[]): number {
  const code = `
    import { holds } from ${JSON.stringify(new URL('../src/proof/capture-signature.ts', import.meta.url).href)}
    const hash = (text) => Buffer.from(text, 'hex')
    const signed = JSON.parse(require('node:fs').readFileSync(0, 'utf8')).map(({ facts, signature }) => ({
      facts: { ...facts, headDigest: hash(facts.headDigest) },
      signature: { ...signature, key: hash(signature.key), signature: hash(signature.signature), path: signature.path.map(hash) },
    }))
    const processorMs = () => (process.cpuUsage().user + process.cpuUsage().system) / 1_000
    const startMs = processorMs()
    for (const { signature, facts } of signed) if (!holds(signature, facts)) throw new Error('a capture of the crawl does not hold')
    console.log(processorMs() - startMs)`.replace("require('node:fs')", "(await import('node:fs'))")
  const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
  const input = JSON.stringify(
    signed.map(({ facts, signature }) => ({
      facts: { ...facts, headDigest: hex(facts.headDigest) },
      signature: {
        ...signature,
        key: hex(signature.key),
        signature: hex(signature.signature),
        path: signature.path.map(hex),
      },
    })),
  )
  const options = { input, maxBuffer: 1e9 }
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], options)
  const ms = Number(stdout.toString())
  if (!(ms > 0)) throw new Error(stderr.toString())
  return ms
}

function verifyMs(signed: readonly Signed[]): number {
  const startMs = processorMs()
  for (const { signature, facts } of signed)
    if (!holds(signature, facts)) throw new Error('a signature does not hold')
  return processorMs() - startMs
}

function processorMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

function factsOf(number: number): CapturedFacts {
  return {
    url: `https://site-${number % 100}.example/page-${number}`,
    capturedAtMs: 1_700_000_000_000 + number,
    headDigest: headDigestOf(`head ${number}`),
    payloadDigest: `sha256:${Buffer.from(headDigestOf(`payload ${number}`)).toString('hex')}`,
    address: '192.0.2.1',
    certificate: 'ab'.repeat(32),
  }
}

function crawlWith(sign: 'yes' | 'no'): CrawlContender {
  return {
    ...withSettings(polyhistor('gzip'), [`crawl.sign=${sign}`]),
    name: sign === 'yes' ? 'signed, with log' : 'not signed',
  }
}

function perSecond(count: number, ms: number): string {
  return Math.round((count / ms) * 1_000).toString()
}

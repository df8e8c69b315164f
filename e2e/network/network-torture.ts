// Peers that crawl a web together while they are killed, paused, wiped, removed and added; afterwards nothing may lack.
// `npm run torture -- network` runs it; the tests run a short one.

import { SimulatedRandom } from '../../src/platform/simulated/random.ts'
import type { JobState } from './archive-peer.ts'
import { healed } from './health.ts'
import { NetworkOfPeers } from './network-of-peers.ts'
import { SitesProcess } from './sites-process.ts'
import { Trouble } from './trouble.ts'
import { copies, type Verdict, verdictOn } from './verdict.ts'

export interface NetworkTorture {
  readonly seed: string
  readonly minutes: number
  readonly peers: number
  readonly sites: number
  /** Per site. */
  readonly pages: number
  readonly delayMs: number
  readonly tell: (sentence: string) => void
}

const latencyMs = 50
const images = 6
const healMsMax = 300_000
/** The job must go on within that, once nobody is in trouble. */
const standstillMsMax = 300_000
const pollMs = 1_000
const tellMs = 15_000
const writeMs = 2_000

/** Like a job of so many minutes: about half as many pages as politeness would let one site have. */
export function pagesFor(minutes: number, delayMs: number): number {
  return Math.max(24, Math.floor((minutes * 60_000) / (delayMs + latencyMs) / 2))
}

export async function tortureNetwork(torture: NetworkTorture): Promise<Verdict> {
  const { seed, peers, sites, pages, delayMs, tell } = torture
  const random = new SimulatedRandom(seed)
  const origin = await SitesProcess.start({ sites, pages, images, seed, latencyMs })
  try {
    tell(
      `Seed ${seed}: ${peers} peers, ${origin.web.urls.length} URLs on ${sites} sites, ${delayMs} ms apart`,
    )
    const words = ['--allow-address', '127.0.0.0/8', '--delay', String(delayMs), ...quickWords]
    const network = await NetworkOfPeers.start({ peers, words }, random.fork('network'))
    tell(`Homes and logs: ${network.folder}`)
    try {
      const verdict = await crawlInTrouble(torture, network, origin, random)
      if (verdict.failures.length === 0) await network.removeFolder()
      return verdict
    } finally {
      await network.end()
    }
  } finally {
    await origin.stop()
  }
}

/** Hours of patience are too long for a test. Peers that are hardly known are given ten times as much, and up to 28 times. */
const quickWords = ['--set', 'ring.patience=2s']

/** Gives the exit code. */
export async function tortureFromCommandLine(given: {
  minutes: string | undefined
  peers: string
  seed: string
}): Promise<number> {
  const [minutes, peers, delayMs] = [Number(given.minutes ?? 10), Number(given.peers), 1_000]
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  const tell = (sentence: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${sentence}`)
  const pages = pagesFor(minutes, delayMs)
  try {
    const torture = { seed: given.seed, minutes, peers, sites: 16, pages, delayMs, tell }
    const { failures, figures } = await tortureNetwork(torture)
    for (const failure of failures.slice(0, 50)) console.log(`FAILED ${failure}`)
    console.log(`${failures.length} failures, ${JSON.stringify(figures)}`)
    if (failures.length === 0) return 0
  } catch (error) {
    console.error(error)
  }
  console.log(`Again: npm run torture -- network ${minutes} --peers ${peers} --seed ${given.seed}`)
  return 1
}

async function crawlInTrouble(
  { minutes, peers, delayMs, tell }: NetworkTorture,
  network: NetworkOfPeers,
  origin: SitesProcess,
  random: SimulatedRandom,
): Promise<Verdict> {
  await healed(network, healMsMax, tell)
  const atOnce = Math.max(1, Math.min(copies, peers) - 1)
  const losesDisks = peers > copies
  const trouble = new Trouble(
    { network, random: random.fork('trouble'), tell },
    { atOnce, losesDisks, peersMin: Math.min(peers, copies + 1), peersMax: peers + 1, healMsMax },
  )
  const { id } = await network.peers[0]!.startJob([origin.web.start])
  const teller = setInterval(() => void tellProgress(network, id, tell), tellMs)
  const writer = setInterval(() => void network.writeLogs(), writeMs)
  try {
    await trouble.run(performance.now() + minutes * 60_000)
    tell(`No more trouble: ${JSON.stringify(trouble.counts)}`)
    await jobDone(network, origin, id)
    tell('The job is done')
    await healed(network, healMsMax, tell)
  } finally {
    clearInterval(teller)
    clearInterval(writer)
  }
  return verdictOn({ network, origin, delayMs })
}

async function tellProgress(
  network: NetworkOfPeers,
  id: string,
  tell: (sentence: string) => void,
): Promise<void> {
  const job = await anyJob(network, id)
  if (job !== undefined) tell(`${job.counters.fetched} fetched, ${job.counters.pending} pending`)
}

/** Rejects when nothing happens any more and it is not done. */
async function jobDone(network: NetworkOfPeers, origin: SitesProcess, id: string): Promise<void> {
  let [last, lastAtMs] = ['', performance.now()]
  for (;;) {
    const job = await anyJob(network, id)
    if (job?.state === 'done') return
    const now = JSON.stringify([job?.counters, (await origin.arrivals()).length])
    if (now !== last) [last, lastAtMs] = [now, performance.now()]
    if (performance.now() - lastAtMs > standstillMsMax)
      throw new Error(`The job stands still: ${JSON.stringify(job)}`)
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

async function anyJob(network: NetworkOfPeers, id: string): Promise<JobState | undefined> {
  for (const peer of network.answering) {
    const job = await peer.job(id).catch(() => undefined)
    if (job !== undefined) return job
  }
  return undefined
}

// `polyhistor doctor`: whether this machine and the home have what a peer needs, and whether others reach it. With --mend it does what it
// can about what is not well.

import { dirname } from 'node:path'
import { type Check, checkup, type DoctorFacts, type PortFacts } from '../../app/doctor/checkup.ts'
import { homeFacts } from '../../app/doctor/home-facts.ts'
import { filesMax, portUse, writingProblem } from '../../app/doctor/machine-facts.ts'
import { fetchFolderOf, mends } from '../../app/doctor/mending.ts'
import { describeHomeNetwork } from '../../app/ring/home-network.ts'
import type { RingPeerView } from '../../app/ring/ring-peer.ts'
import { PolyhistorError } from '../../errors.ts'
import { foundBrowser, isPackedFor } from '../../platform/real/browser/executable.ts'
import { RealDisk } from '../../platform/real/disk/disk.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { formatTable } from '../output/table.ts'
import type { PeerClient } from '../peer/peer-client.ts'
import { runningPeer } from '../peer/running-peer.ts'
import { storeOptionsFrom } from '../with-store.ts'

const nodeVersionMin = 24

interface Mended {
  readonly name: Check['name']
  readonly isDone: boolean
  /** What was done, or why not. */
  readonly outcome: string
}

export async function examine(
  context: Context,
  _words: string[] = [],
  { mend = false }: { mend?: boolean } = {},
): Promise<ExitCode> {
  const { terminal, isJson } = context
  let facts = await factsOf(context)
  const mended = mend ? await mendAll(context, checkup(facts)) : []
  if (mended.length > 0) facts = await factsOf(context)
  const checks = checkup(facts)
  const isWell = checks.every(({ state }) => state === 'well' || state === 'unknown')
  if (isJson) {
    const reach = facts.reach === 'alone' ? undefined : facts.reach
    await terminal.printJson({ ok: isWell, checks, ...(mend && { mended }), ...(reach && { reach }) })
  } else {
    for (const { name, isDone, outcome } of mended)
      await terminal.printLine(`${name}: ${isDone ? 'mended' : 'could not be mended'}. ${outcome}`)
    if (mended.length > 0) await terminal.printLine('')
    await terminal.printLine(formatTable(['', 'state', 'finding'], checks.map(rowOf), terminal.width))
    if (mend && mended.length === 0)
      await terminal.printLine('\nThere was nothing that could be mended from here.')
  }
  return isWell ? exitCodes.ok : exitCodes.no
}

function rowOf({ name, state, finding, fault, advice, mend }: Check): string[] {
  const blamed = fault === undefined ? '' : ` Owing to ${fault}.`
  const advised = advice === undefined ? '' : ` → ${advice}`
  const mendable = mend === undefined ? '' : ' Or have it mended: polyhistor doctor --mend'
  return [name, state, `${finding}${blamed}${advised}${mendable}`]
}

/** One that fails does not keep the others from being mended. */
async function mendAll(context: Context, checks: readonly Check[]): Promise<Mended[]> {
  const { home, terminal, log, configuration } = context
  const needs = {
    home: home.folder,
    log,
    storeOptions: storeOptionsFrom(configuration.values),
    tell: (sentence: string) => terminal.tell(sentence),
  }
  const mended: Mended[] = []
  for (const { name, mend } of checks) {
    if (mend === undefined) continue
    try {
      mended.push({ name, isDone: true, outcome: await mends[mend](needs) })
    } catch (error) {
      mended.push({ name, isDone: false, outcome: reasonOf(error) })
    }
  }
  return mended
}

/** Of the system, or an expected one of ours; anything else is a fault of this program. */
function reasonOf(error: unknown): string {
  if (error instanceof PolyhistorError || (error as NodeJS.ErrnoException).syscall !== undefined)
    return (error as Error).message
  throw error
}

async function factsOf(context: Context): Promise<DoctorFacts> {
  const { home, configuration } = context
  const { values } = configuration
  const peer = await runningPeer(context)
  const hasNetwork = (await describeHomeNetwork(home.folder)) !== undefined
  const ring = hasNetwork ? await ringOf(peer) : undefined
  const wanted = values['crawl.browser']
  return {
    ...(await homeFacts(home.folder)),
    nodeVersion: process.version,
    nodeVersionMin,
    homeProblem: await writingProblem(home.folder, dirname),
    freeBytes: await freeBytes(home.folder),
    reserveBytes: values['store.reserve'],
    filesMax: await filesMax(),
    clockOffsetsMs: (ring?.neighbours ?? []).flatMap(({ clockOffsetMs }) => clockOffsetMs ?? []),
    ports: await portsOf(context, { isRunning: peer !== undefined, hasNetwork }),
    browser: {
      path: await foundBrowser({
        path: values['crawl.browserPath'],
        fetchFolder: fetchFolderOf(home.folder),
      }),
      named: values['crawl.browserPath'],
      isWanted: wanted !== 'never',
      canFetch: isPackedFor,
    },
    isRunning: peer !== undefined,
    reach: hasNetwork ? ring?.reach : 'alone',
    announced: values['ring.announce'],
    probationMs: ring?.probationMs,
  }
}

async function ringOf(peer: PeerClient | undefined): Promise<RingPeerView | undefined> {
  return peer?.get<RingPeerView>('/api/v1/ring')
}

/** Of the folder, or of the one that it will lie in. */
async function freeBytes(folder: string): Promise<number | undefined> {
  const disk = new RealDisk()
  for (let at = folder; ; at = dirname(at)) {
    const free = await disk.freeBytes(at).catch(() => undefined)
    if (free !== undefined || dirname(at) === at) return free
  }
}

async function portsOf(
  { configuration: { values } }: Context,
  { isRunning, hasNetwork }: { isRunning: boolean; hasNetwork: boolean },
): Promise<PortFacts[]> {
  const http = values['http.address']
  const ring = values['ring.listen']
  const wanted = [
    { what: 'browsers', setting: '--http', ...http },
    ...(hasNetwork ? [{ what: 'other peers', setting: '--listen', ...ring }] : []),
  ]
  const ports = wanted.filter(({ port }) => port !== 0)
  return Promise.all(
    ports.map(async ({ what, setting, host, port }): Promise<PortFacts> => {
      const use = await portUse(port, host)
      return { what, setting, port, use: use === 'taken' && isRunning ? 'ours' : use }
    }),
  )
}

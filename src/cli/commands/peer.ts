// `polyhistor peer`: serves the archive until it is stopped, crawls what it is asked to, and keeps fresh what it knows.

import { hostAndPort } from '../../configuration/kinds.ts'
import { parseFresh } from '../../crawler.ts'
import type { ArchiveNetwork } from '../../peer/archive-network.ts'
import type { DiskShare } from '../../peer/copies/disk-share.ts'
import { PeerSettings } from '../../peer/peer-settings.ts'
import { clockLack } from '../../peer/ring/clock-offset.ts'
import { forgettingRoute } from '../../peer/ring/forgetting.ts'
import { leaveHomeNetwork } from '../../peer/ring/home-network.ts'
import { Leaving } from '../../peer/ring/leaving.ts'
import type { RingPeer } from '../../peer/ring/ring-peer.ts'
import { openPeer, type Peer, type SteadyScrubOptions } from '../../peer.ts'
import { siteOf } from '../../record/site.ts'
import type { Store } from '../../store-library.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts'
import { type Interruption, listenForInterruption } from '../interruption.ts'
import { invitationFrom } from '../invitation-input.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { optionValue } from '../option-values.ts'
import { openPeerNetwork, openPeerRing, type RingCommandOptions, shareOf } from '../peer-ring.ts'
import { UsageError } from '../usage-error.ts'
import { withStore } from '../with-store.ts'
import { type CrawlCommandOptions, crawlerOptions } from './crawl.ts'

interface Options
  extends RingCommandOptions,
    Pick<
      CrawlCommandOptions,
      'delay' | 'concurrency' | 'userAgent' | 'allowAddress' | 'insecure' | 'ignoreRobots'
    > {
  http?: string
  open?: boolean
  fresh?: string[]
}

/** Visits under way get this long to end. */
const graceMs = 10_000
const tellMs = 60_000
/** Whoever watches it leave is to see that it has, on a busy machine, too. */
const toldMs = 15_000

export async function runPeer(context: Context, _words: string[], given: Options): Promise<ExitCode> {
  const { log } = context
  const options = { ...given, ...(given.invite && { invite: await invitationFrom(given.invite) }) }
  const freshness = freshRules(options.fresh ?? [])
  const crawler = { ...crawlerOptions(context, options), freshness }
  const server = serverOptions(context, options)
  const interruption = listenForInterruption(() => log.info({}, 'Stopping: what is under way is ended'))
  try {
    const share = await shareOf(context, options)
    const limits = share && { share, volumeBytesMax: share.volumeBytesMax }
    return await withStore(context, (store) => runOn(context, store, share), limits)
  } finally {
    interruption.release()
  }

  async function runOn(running: Context, store: Store, share: DiskShare | undefined): Promise<ExitCode> {
    const ring = await openPeerRing(running, options)
    const leaving = new Leaving()
    try {
      const network =
        ring.peer && share && (await openPeerNetwork(running, options, { store, ring: ring.peer, share }))
      const moreRoutes =
        network === undefined
          ? ring.routes
          : [...ring.routes, ...leaving.routes(), forgettingRoute((dead) => network.forget(dead))]
      const scrub = scrubOptions(running)
      const settings = new PeerSettings(running.configuration, running.home.folder)
      const peer = await openPeer({ store, log, network }, { server, crawler, scrub, settings, moreRoutes })
      try {
        await tellWhere(running, peer, options.open === true)
        return await runUntilStopped(running, peer, interruption, { network, leaving, ring: ring.peer })
      } finally {
        await peer.close()
        log.info({ ...peer.counts }, 'The peer is down')
      }
    } finally {
      await ring.close()
      if (leaving.isDone) await leaveHomeNetwork(running.home.folder)
    }
  }
}

async function runUntilStopped(
  { log }: Context,
  peer: Peer,
  { signal }: Interruption,
  {
    network,
    leaving,
    ring,
  }: { network: ArchiveNetwork | undefined; leaving: Leaving; ring: RingPeer | undefined },
): Promise<ExitCode> {
  const abort = new AbortController()
  signal.addEventListener('abort', () => setTimeout(() => abort.abort(), graceMs).unref())
  const teller = setInterval(() => {
    log.info({ ...peer.counts }, 'Keeping the archive fresh')
    const lack = ring && clockLack(ring.view())
    if (lack !== undefined) log.warn({}, lack)
  }, tellMs)
  try {
    while (!signal.aborted && !leaving.isDone) {
      await peer.crawl({ stop: AbortSignal.any([signal, leaving.asked]), abort: abort.signal })
      if (signal.aborted || network === undefined) break
      log.info({}, 'Leaving the network: what is here is handed over')
      await leaving.carryOut(signal, (stop, tell) => network.handOver(stop, tell))
      if (leaving.isDone) await Promise.race([leaving.told, sleep(toldMs)])
    }
    return exitCodes.ok
  } catch (error) {
    // The archive can still be read, and whoever looks after it needs to see why nothing is added.
    log.error({ err: error }, 'Crawling has stopped; the archive can still be read')
    await aborted(signal)
    return exitCodeOf(error)
  } finally {
    clearInterval(teller)
  }
}

async function tellWhere(context: Context, { server }: Peer, isOpened: boolean): Promise<void> {
  const { terminal, isJson, log, home } = context
  const { archive, replay } = server.origins
  const link = server.newOwnerLink()
  if (isJson) await terminal.printJson({ url: archive, replay, home: home.folder, link })
  else {
    await terminal.printLine(`The archive is at ${archive}/ (Ctrl-C stops it)`)
    await terminal.printLine(`To archive and change things, open this once, within an hour: ${link}`)
    await terminal.printLine(`Everything is kept in ${home.folder}. What happens meanwhile is told with -v.`)
  }
  if (isOpened) await openInBrowser(context, link)
  log.debug({ home: home.folder, replay }, 'The peer is up')
}

function serverOptions({ configuration, home, log }: Context, { http }: Options) {
  const { values } = configuration
  const { host, port } =
    http === undefined ? values['http.address'] : optionValue(hostAndPort, '--http', http)
  const isLocal = host === 'localhost' || host === '::1' || host.startsWith('127.')
  if (!isLocal && values['http.replayOrigin'] === '')
    log.warn(
      { host },
      'Other machines see archived pages only where http.replayOrigin names a host that leads here',
    )
  return {
    home: home.folder,
    host,
    port,
    archiveOrigin: values['http.archiveOrigin'],
    replayOrigin: values['http.replayOrigin'],
    isReadableByAll: values['http.crossOrigin'],
    folders: values['http.folders'],
  }
}

function scrubOptions({ configuration: { values } }: Context): SteadyScrubOptions | undefined {
  const everyMs = values['store.scrubEvery']
  return everyMs === 0 ? undefined : { everyMs, bytesPerSecondMax: values['store.scrubRate'] }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** `1d` for all sites, `example.com=1h-1d` for one. */
function freshRules(texts: string[]): Map<string, ReturnType<typeof parseFresh>> {
  const rules = new Map<string, ReturnType<typeof parseFresh>>()
  for (const text of texts) {
    const equals = text.lastIndexOf('=')
    const site = equals < 0 ? '' : siteOf(text.slice(0, equals))
    if (equals === 0) throw new UsageError(`--fresh takes SPAN or SITE=SPAN, not ${JSON.stringify(text)}.`)
    rules.set(site, parseFresh(text.slice(equals + 1)))
  }
  return rules
}

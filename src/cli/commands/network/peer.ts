// `polyhistor peer`: serves the archive until it is stopped, crawls what it is asked to, and keeps fresh what it knows.

import { parseFresh } from '../../../app/crawl/crawler.ts'
import { HomePeer } from '../../../app/home-peer.ts'
import type { BackgroundScrubOptions, Peer } from '../../../app/peer.ts'
import { PeerSettings } from '../../../app/peer-settings.ts'
import { rankOptionsOf } from '../../../app/rank/rank-terms.ts'
import { realPlatform } from '../../../app/real-platform.ts'
import type { DiskShare } from '../../../app/share/disk-share.ts'
import type { Store } from '../../../app/store/store-library.ts'
import type { Tracing } from '../../../app/tracing/open-tracing.ts'
import { hostAndPort } from '../../../config/kinds.ts'
import { LiveSettings, type ReloadReport } from '../../../config/live-settings.ts'
import { PolyhistorError } from '../../../errors.ts'
import { siteOf } from '../../../model/url/site.ts'
import type { Log } from '../../../platform/log.ts'
import { RealClock } from '../../../platform/real/clock.ts'
import { openLog } from '../../../platform/real/log.ts'
import type { AnchorPlaces } from '../../../proof/anchor/head-anchors.ts'
import type { Context } from '../../context.ts'
import { type ExitCode, exitCodeOf, exitCodes } from '../../exit-codes.ts'
import { invitationFrom } from '../../input/invitation-input.ts'
import { optionValue } from '../../input/option-values.ts'
import { listenForInterruption } from '../../interruption.ts'
import { openInBrowser } from '../../open-in-browser.ts'
import { networkOptions, type RingCommandOptions, shareOf } from '../../peer/peer-ring.ts'
import { withProfile } from '../../profile-crawling.ts'
import { stopDeadline } from '../../stop-deadline.ts'
import { UsageError } from '../../usage-error.ts'
import { withStore } from '../../with-store.ts'
import { type CrawlCommandOptions, crawlerOptions } from '../crawl/crawl.ts'

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

export async function runPeer(context: Context, _words: string[], given: Options): Promise<ExitCode> {
  // Empty is what a variable gives that was not set: no invitation.
  const { invite, ...rest } = given
  const options = invite ? { ...rest, invite: await invitationFrom(invite) } : rest
  const interruption = listenForInterruption(() =>
    context.log.info({}, 'Stopping: what is under way is ended'),
  )
  const callOff = stopDeadline(
    { clock: new RealClock(), end: () => endAtOnce(context) },
    interruption.signal,
    context.configuration.values['peer.stopTime'],
  )
  try {
    let ended = await runOnce(context, options, interruption.signal)
    // From the console: with the settings as they are written now, at the same address.
    while (ended.isRestartAsked && !interruption.signal.aborted)
      ended = await runOnce(reread(context), { ...options, open: false }, interruption.signal, ended.port)
    return ended.code
  } finally {
    callOff()
    interruption.release()
  }
}

/** It was asked to stop, and nothing is lost: no failure. */
function endAtOnce({ log }: Context): never {
  log.warn(
    {},
    'Stopping took longer than peer.stopTime: the peer ends where it is, and the next start looks at its index first',
  )
  process.exit(exitCodes.ok)
}

interface Ended {
  readonly code: ExitCode
  readonly isRestartAsked: boolean
  readonly port: number
}

/** What was written meanwhile may be wrong: then it goes on as before, and says so. */
function reread(context: Context): Context {
  try {
    return context.reread?.() ?? context
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    context.log.error({ err: error }, 'The settings cannot be read; this peer goes on with those of before')
    return context
  }
}

async function runOnce(started: Context, options: Options, stop: AbortSignal, port?: number): Promise<Ended> {
  const live = new LiveSettings(started.configuration, () => (started.reread?.() ?? started).configuration)
  const log = openLog(() => ({ level: live.of('log.level'), format: live.of('log.format') }))
  const context = { ...started, log }
  const freshness = freshRules(options.fresh ?? [])
  const crawler = await withProfile(context, { ...crawlerOptions(context, options), freshness }, false)
  const written = serverOptions(context, options)
  const server = { ...written, port: port ?? written.port }
  const reserveBytes = () => live.of('store.reserve')
  const share = await shareOf(context, options, reserveBytes)
  const limits = { reserveBytes, ...(share && { share, volumeBytesMax: share.volumeBytesMax }) }
  // Until all is closed: a signal that nobody listens to would end it half-way.
  const endHangups = whenHungUp(() => reloadOnHangup(live, log))
  try {
    return await withStore(context, (store) => runOn(context, store, share), limits)
  } finally {
    endHangups()
  }

  async function runOn(running: Context, store: Store, share: DiskShare | undefined): Promise<Ended> {
    const tracing = await tracingOf(running, log)
    const home = await HomePeer.open(
      { platform: tracing?.platform ?? realPlatform(), store, log },
      {
        server,
        crawler,
        uploads: { bytesMax: running.configuration.values['http.uploadSize'], reserveBytes },
        scrub: scrubOptions(live),
        anchors: anchorPlaces(running),
        hasSearch: running.configuration.values['search.index'],
        changes: {
          get keepAgeMs() {
            return live.of('changes.keepAge')
          },
          get keepBytes() {
            return live.of('changes.keepBytes')
          },
        },
        rank: rankOptionsOf(running.configuration.values),
        settings: new PeerSettings(() => live.configuration, running.home.of?.folder ?? running.home.folder),
        reloadSettings: () => reloaded(live, log),
        network: await networkOptions(running, options, share, live),
        canRestart: true,
      },
    )
    try {
      await tellWhere(running, home.peer, options.open === true)
      const code = await runUntilStopped(home, stop)
      return { code, isRestartAsked: home.isRestartAsked, port: home.peer.server.port }
    } finally {
      await home.close()
      await tracing?.close()
      log.info({ ...home.peer.counts }, 'The peer is down')
    }
  }
}

/** Loaded only where it is asked for. */
async function tracingOf({ configuration: { values } }: Context, log: Log): Promise<Tracing | undefined> {
  const [endpoint, share] = [values['traces.endpoint'], values['traces.share']]
  if (endpoint === '') return undefined
  const { openTracing } = await import('../../../app/tracing/open-tracing.ts')
  return openTracing({ platform: realPlatform(), log }, { endpoint, share })
}

async function runUntilStopped(home: HomePeer, stop: AbortSignal): Promise<ExitCode> {
  try {
    await home.run(stop)
    return exitCodes.ok
  } catch (error) {
    return exitCodeOf(error)
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
    http === undefined ? addressOf(home, values['http.address']) : optionValue(hostAndPort, '--http', http)
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

/** The peer of the home itself may have the usual port. */
function addressOf({ of }: Context['home'], usual: { host: string; port: number }) {
  return of === undefined ? usual : { host: 'localhost', port: 0 }
}

function anchorPlaces({ configuration: { values } }: Context): AnchorPlaces {
  const [file, url] = [values['proof.anchorFile'], values['proof.anchorUrl']]
  const [folder, to] = [values['proof.anchorMailFolder'], values['proof.anchorMailTo']]
  if ((folder === '') !== (to === ''))
    throw new UsageError(
      'E-mails with heads of the log need both proof.anchorMailFolder and proof.anchorMailTo.',
    )
  const mail = folder === '' ? undefined : { folder, to }
  return { file: file || undefined, url: url || undefined, mail, everyMs: values['proof.anchorEvery'] }
}

function scrubOptions(live: LiveSettings): BackgroundScrubOptions {
  return {
    get everyMs() {
      return live.of('store.scrubEvery')
    },
    get bytesPerSecondMax() {
      return live.of('store.scrubRate')
    },
  }
}

function reloaded(live: LiveSettings, log: Log): ReloadReport {
  const report = live.reload()
  log.info({ ...report }, 'The settings were read again')
  return report
}

/** Nobody waits for an answer: what is wrong goes to the log. */
function reloadOnHangup(live: LiveSettings, log: Log): void {
  try {
    const { needsRestart } = reloaded(live, log)
    for (const { name, from, to } of needsRestart)
      log.warn({ name, from, to }, 'This setting needs a restart to hold as it is written now')
  } catch (error) {
    if (!(error instanceof PolyhistorError)) throw error
    log.error({ err: error }, 'The settings cannot be read; this peer goes on with those of before')
  }
}

/** SIGHUP means "read your settings again" to a service. A peer on a terminal ends with its terminal, as any program does. */
function whenHungUp(reload: () => void): () => void {
  if (process.stdout.isTTY || process.stderr.isTTY) return () => {}
  process.on('SIGHUP', reload)
  return () => process.off('SIGHUP', reload)
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

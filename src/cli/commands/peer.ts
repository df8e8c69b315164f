// `polyhistor peer`: serves the archive until it is stopped, crawls what it is asked to, and keeps fresh what it knows.

import { parseFresh } from '../../app/crawl/crawler.ts'
import { HomePeer } from '../../app/home-peer.ts'
import type { BackgroundScrubOptions, Peer } from '../../app/peer.ts'
import { PeerSettings } from '../../app/peer-settings.ts'
import { realPlatform } from '../../app/real-platform.ts'
import type { DiskShare } from '../../app/share/disk-share.ts'
import type { Store } from '../../app/store/store-library.ts'
import { hostAndPort } from '../../config/kinds.ts'
import { siteOf } from '../../model/site.ts'
import type { Context } from '../context.ts'
import { type ExitCode, exitCodeOf, exitCodes } from '../exit-codes.ts'
import { invitationFrom } from '../input/invitation-input.ts'
import { optionValue } from '../input/option-values.ts'
import { listenForInterruption } from '../interruption.ts'
import { openInBrowser } from '../open-in-browser.ts'
import { networkOptions, type RingCommandOptions, shareOf } from '../peer/peer-ring.ts'
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
    const home = await HomePeer.open(
      { platform: realPlatform(), store, log },
      {
        server,
        crawler,
        scrub: scrubOptions(running),
        settings: new PeerSettings(running.configuration, running.home.folder),
        network: await networkOptions(running, options, share),
      },
    )
    try {
      await tellWhere(running, home.peer, options.open === true)
      return await runUntilStopped(home, interruption.signal)
    } finally {
      await home.close()
      log.info({ ...home.peer.counts }, 'The peer is down')
    }
  }
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

function scrubOptions({ configuration: { values } }: Context): BackgroundScrubOptions | undefined {
  const everyMs = values['store.scrubEvery']
  return everyMs === 0 ? undefined : { everyMs, bytesPerSecondMax: values['store.scrubRate'] }
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

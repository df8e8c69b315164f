// A running server of the archive: routes behind the checks of the API, on sockets, known to the home's commands.

import { Access } from '../../api/access.ts'
import { Api } from '../../api/api.ts'
import type { FailurePage } from '../../api/failure.ts'
import { Hosts, type Origins } from '../../api/hosts.ts'
import { ExtensionKeys } from '../../api/owner/extension-keys.ts'
import { OwnerCookie } from '../../api/owner/owner-cookie.ts'
import { OwnerDoor } from '../../api/owner/owner-door.ts'
import { OwnerLinks } from '../../api/owner/owner-links.ts'
import type { Route } from '../../api/route.ts'
import type { Log } from '../../platform/log.ts'
import type { HttpAnswer, HttpRequest } from '../../platform/network/http-server.ts'
import type { Random } from '../../platform/random.ts'
import type { Platform } from '../platform.ts'
import { ProfileError } from '../profiles/profile-folder.ts'
import { profileOf } from '../profiles/profile-home.ts'
import { newSecret, removePeerFile, secretOf, writePeerFile } from './peer-file.ts'

export interface PeerServerOptions {
  readonly home: string
  /** Where to listen. Port 0 takes any that is free. */
  readonly host: string
  readonly port: number
  /** Under which names we are known; of this machine's own, when not told. */
  readonly archiveOrigin?: string | undefined
  readonly replayOrigin?: string | undefined
  readonly isReadableByAll: boolean
  /** Whose files whoever has the token may name. */
  readonly folders?: readonly string[] | undefined
}

/** Routes may need to know where we are, which a free port tells only once it is ours. */
interface ServedParts {
  readonly routes: readonly Route[]
  readonly failurePage?: FailurePage | undefined
}

interface ServedPlace {
  readonly origins: Origins
  readonly instance: string
  readonly owner: OwnerDoor
}

export interface PeerServer {
  readonly origins: Origins
  readonly instance: string
  /** Where it listens. */
  readonly port: number
  /** Everything that is answered. */
  readonly routes: readonly Route[]
  /** A one-time link: whoever opens it first is the owner in that browser. */
  newOwnerLink(): string
  close(): Promise<void>
}

/** Requests under way get this long to end. Streams are ended before that; this is for who reads a large answer slowly. */
const graceMs = 2_000

export async function startPeerServer(
  needs: { platform: Platform; log: Log },
  options: PeerServerOptions,
  partsFor: (place: ServedPlace) => ServedParts | Promise<ServedParts>,
): Promise<PeerServer> {
  const { platform, log } = needs
  const { clock, random, files } = platform
  const { home } = options
  const isPrivate = (await profileOf(home, files)) !== undefined
  if (isPrivate && !isThisMachine(options.host)) throw notForOthers(options.host)
  const token = await secretOf(home, 'token', platform)
  const nowMs = () => clock.nowMs()
  const browserSecret = await secretOf(home, 'browser-secret', platform)
  const cookie = new OwnerCookie({ nowMs }, browserSecret)
  const keys = new ExtensionKeys({ nowMs }, browserSecret)
  const instance = Buffer.from(random.bytes(12)).toString('base64url')
  let api: Api | undefined
  const server = await platform.startHttpServer(
    {
      host: options.host,
      port: options.port,
      whenFault: (fault) => log.error({ err: fault }, 'An answer failed half-way'),
    },
    (request) => api?.answer(request) ?? stillStarting(request),
  )
  try {
    const origins = isPrivate ? privateOrigins(server.port, random) : originsOf(options, server.port)
    const url = `http://${urlHost(options.host)}:${server.port}`
    const hosts = new Hosts(origins, server.port, [new URL(url).host])
    const access = new Access({ cookie, keys }, token)
    const owner = new OwnerDoor({
      cookie,
      keys,
      checkToken: (request) => access.checkToken(request),
      links: new OwnerLinks({ random, monotonicMs: () => clock.monotonicMs() }),
      archiveOrigin: origins.archive,
      newSecret: () => newSecret(home, 'browser-secret', platform),
    })
    const { routes, failurePage } = await partsFor({ origins, instance, owner })
    const isReadableByAll = options.isReadableByAll && !isPrivate
    api = new Api({ hosts, access, log, failurePage }, routes, { isReadableByAll, isPrivate })
    await writePeerFile(home, { url, token, instance, pid: platform.processId }, files)
    return {
      origins,
      instance,
      port: server.port,
      routes,
      newOwnerLink: () => owner.newLink(),
      close: async () => {
        await removePeerFile(home, files)
        await server.close(graceMs)
      },
    }
  } catch (error) {
    await server.close(0)
    throw error
  }
}

/** The names that need no configuration: replay.localhost is this machine's by definition (RFC 6761). */
function originsOf(options: PeerServerOptions, port: number): Origins {
  const host = urlHost(options.host)
  const isNamed = /[a-z]/i.test(host) && !host.startsWith('[')
  const suffix = port === 80 ? '' : `:${port}`
  return {
    archive: options.archiveOrigin || `http://${host}${suffix}`,
    replay: options.replayOrigin || `http://replay.${isNamed ? host : 'localhost'}${suffix}`,
  }
}

/** Archived pages have no cookie to show. Their host is known by a name that nobody can guess, and only the owner's pages tell. */
function privateOrigins(port: number, random: Random): Origins {
  const secret = Buffer.from(random.bytes(16)).toString('hex')
  return { archive: `http://localhost:${port}`, replay: `http://replay-${secret}.localhost:${port}` }
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

function notForOthers(host: string): ProfileError {
  return new ProfileError(
    'profile-not-for-others',
    `What is archived with a profile is private, and answered for on this machine only: not at ${host}.`,
  )
}

/** Where somebody on this machine reaches what listens on this address. */
function urlHost(host: string): string {
  if (host === '127.0.0.1' || host === '0.0.0.0' || host === '::1' || host === '::') return 'localhost'
  return host.includes(':') ? `[${host}]` : host
}

function stillStarting(_request: HttpRequest): HttpAnswer {
  return {
    status: 503,
    headers: [
      ['Retry-After', '1'],
      ['Content-Type', 'text/plain; charset=utf-8'],
    ],
    body: 'The archive is starting.\n',
  }
}

// Opening a connection to one address that has been checked: TCP, and TLS on top.
//
// The address goes in as an address, so that nothing resolves the name a second time; the name is used for SNI and for
// the certificate only. Ends within connectMsMax, and leaves neither socket nor timer behind when it fails.

import { connect as connectTcp, isIP, type Socket } from 'node:net'
import type { ConnectionOptions, TLSSocket } from 'node:tls'
import type { Clock } from '../../clock.ts'
import type { WebFailure } from '../../network/web.ts'
import { connectFailure, tlsProblemOf, webFailure } from './failure.ts'

interface ConnectTarget {
  readonly address: string
  readonly port: number
  /** undefined for plain TCP. */
  readonly tls: TlsTarget | undefined
}

export interface TlsTarget {
  /** The URL's host, without brackets. */
  readonly name: string
  readonly insecure: boolean
  /** PEM; Node's when not given. */
  readonly authorities: readonly string[] | undefined
  readonly protocols: readonly string[]
}

export interface OpenSocket {
  readonly socket: Socket
  readonly address: string
  readonly isHttp2: boolean
  readonly tlsVersion: string | undefined
  readonly tlsProblem: string | undefined
  /** Hex digits of the SHA-256 of the server's certificate. */
  readonly certificate?: string | undefined
  /** Until TCP had it open, without TLS. */
  readonly connectMs: number
}

/** Rejects with the signal's reason when that is aborted first. */
export function openSocket(
  clock: Clock,
  target: ConnectTarget,
  connectMsMax: number,
  signal: AbortSignal,
): Promise<OpenSocket | WebFailure> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const { address } = target
    let inTls = false
    const startMs = clock.monotonicMs()
    let connectMs = 0
    const socket =
      target.tls === undefined ? connectTcp(tcpOptions(target)) : connectTls(tlsOptions(target, target.tls))
    const end = (settle: () => void): void => {
      timer.cancel()
      signal.removeEventListener('abort', abort)
      settle()
    }
    const fail = (failure: WebFailure): void => {
      socket.destroy()
      end(() => resolve(failure))
    }
    const abort = (): void => {
      socket.destroy()
      end(() => reject(signal.reason))
    }
    const timer = clock.after(connectMsMax, () => {
      const step = inTls ? 'TLS was not agreed on' : 'no connection was made'
      fail(webFailure('connect-timeout', `${step} within ${connectMsMax} ms`, address))
    })
    signal.addEventListener('abort', abort, { once: true })
    // For good: once the connection listens too, this one only keeps a late error from ending the process.
    socket.on('error', (error) => fail(connectFailure(error, address, inTls)))
    socket.once('connect', () => {
      inTls = target.tls !== undefined
      connectMs = clock.monotonicMs() - startMs
    })
    socket.once(target.tls === undefined ? 'connect' : 'secureConnect', () => {
      socket.setNoDelay(true)
      end(() => resolve({ ...describe(socket, target), connectMs }))
    })
  })
}

/** Loaded with the first `https` URL: a volunteer that idles does without. */
function connectTls(options: ConnectionOptions): TLSSocket {
  return process.getBuiltinModule('node:tls').connect(options)
}

function tcpOptions(target: ConnectTarget): { host: string; port: number; autoSelectFamily: false } {
  return { host: target.address, port: target.port, autoSelectFamily: false }
}

function tlsOptions(target: ConnectTarget, tls: TlsTarget): ConnectionOptions {
  return {
    ...tcpOptions(target),
    // SNI has names only; a certificate for an address is checked against `host`.
    servername: isIP(tls.name) === 0 ? tls.name : '',
    rejectUnauthorized: !tls.insecure,
    ALPNProtocols: [...tls.protocols],
    ...(tls.authorities === undefined ? {} : { ca: [...tls.authorities] }),
  }
}

function describe(socket: Socket | TLSSocket, target: ConnectTarget): Omit<OpenSocket, 'connectMs'> {
  const { address } = target
  if (target.tls === undefined) {
    return { socket, address, isHttp2: false, tlsVersion: undefined, tlsProblem: undefined }
  }
  const secure = socket as TLSSocket
  // `TLSv1.3` in the words of WARC-Protocol.
  const tlsVersion = secure.getProtocol()?.replace(/^TLSv/, 'tls/')
  const problem: unknown = secure.authorized ? undefined : secure.authorizationError
  const tlsProblem = secure.authorized ? undefined : tlsProblemOf(problem ?? 'not verified')
  const certificate = secure.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase()
  return { socket, address, isHttp2: secure.alpnProtocol === 'h2', tlsVersion, tlsProblem, certificate }
}

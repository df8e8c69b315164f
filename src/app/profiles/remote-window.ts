// A profile's window for who sits elsewhere: a page on this machine's own address, for its owner only, that shows the browser's pictures
// and passes mouse and keys on. It lasts as long as the command that opened it.
//
// The home that it serves has its mark already, so that the server is a private one (server.ts).

import * as v from 'valibot'
import { jsonAnswer } from '../../api/answers.ts'
import { ApiError } from '../../api/api-error.ts'
import type { Route } from '../../api/route.ts'
import type { RouteRequest } from '../../api/route-request.ts'
import type { Log } from '../../platform/log.ts'
import type { HttpAnswer } from '../../platform/network/http-server.ts'
import { type ProfileWindow, windowInput, windowSize } from '../../platform/network/profile-window.ts'
import { pageAnswer } from '../../ui/http.ts'
import { Layout } from '../../ui/markup/layout.ts'
import { assetRoute } from '../../ui/routes/asset-route.ts'
import { ownerRoutes } from '../../ui/routes/owner-routes.ts'
import { profileWindowScreen } from '../../ui/screens/profile-window.ts'
import { startPeerServer } from '../http/server.ts'
import type { Platform } from '../platform.ts'

interface RemoteWindowOptions {
  /** Of the profile. */
  readonly home: string
  readonly name: string
  readonly host: string
  readonly port: number
}

interface RemoteWindow {
  /** For the owner's browser, once. */
  readonly link: string
  /** Whether the owner wants to keep what the window has. */
  readonly decided: Promise<boolean>
  close(): Promise<void>
}

const inputs = v.pipe(v.array(windowInput), v.maxLength(500))
const beatMs = 10_000

export async function serveWindow(
  needs: { platform: Platform; log: Log; window: ProfileWindow },
  { home, name, host, port }: RemoteWindowOptions,
): Promise<RemoteWindow> {
  const { platform, window } = needs
  const { promise: decided, resolve: decide } = Promise.withResolvers<boolean>()
  const assets = await platform.programFiles.pageAssets()
  const layout = new Layout(assets)
  const shared = { methods: ['GET'], host: 'archive' as const }
  const routes: Route[] = [
    {
      ...shared,
      path: /^\/$/,
      isPage: true,
      handle: (request) => pageAnswer(request, 200, layout.page(profileWindowScreen(name, windowSize))),
    },
    {
      ...shared,
      path: '/window/frames',
      handle: (request) => ({
        status: 200,
        headers: [
          ['Content-Type', 'text/event-stream'],
          ['Cache-Control', 'no-store'],
        ],
        body: frames(window, platform, request.signal),
      }),
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/window/input',
      writes: true,
      handle: (request) => passOn(window, request),
    },
    {
      ...shared,
      methods: ['POST'],
      path: '/window/done',
      writes: true,
      handle: async (request) => {
        const { keep } = v.parse(v.object({ keep: v.boolean() }), await request.json())
        decide(keep)
        return jsonAnswer({})
      },
    },
  ]
  const server = await startPeerServer(
    needs,
    { home, host, port, isReadableByAll: false },
    ({ owner }): { routes: Route[] } => ({
      routes: [...routes, ...ownerRoutes({ owner, layout }), assetRoute(assets)],
    }),
  )
  return { link: server.newOwnerLink(), decided, close: () => server.close() }
}

async function passOn(window: ProfileWindow, request: RouteRequest): Promise<HttpAnswer> {
  const parsed = v.safeParse(inputs, await request.json())
  if (!parsed.success)
    throw new ApiError('request-malformed', 'This is nothing that can be done in a window.')
  for (const input of parsed.output) await window.input(input)
  return jsonAnswer({})
}

/** The newest picture, as fast as it is taken; older ones are passed over. */
async function* frames(
  window: ProfileWindow,
  { clock }: Pick<Platform, 'clock'>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let newest: string | undefined
  let wake = new AbortController()
  const stop = window.follow((picture, url) => {
    newest = `event: frame\ndata: ${JSON.stringify({ picture, url })}\n\n`
    wake.abort()
  })
  try {
    while (!signal.aborted) {
      const text = newest
      newest = undefined
      yield Buffer.from(text ?? ': \n\n')
      wake = new AbortController()
      if (newest === undefined)
        await clock.sleep(beatMs, AbortSignal.any([wake.signal, signal])).catch(() => {})
    }
  } finally {
    stop()
  }
}

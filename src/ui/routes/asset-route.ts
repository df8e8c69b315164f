// Scripts, styles and icons. Their names carry a hash of what is in them, so browsers may keep them for good.

import type { HttpAnswer } from '../../platform/network/http-server.ts'
import type { PageAssets } from '../archive.ts'
import type { PageRoute } from '../http.ts'

export function assetRoute(assets: PageAssets): PageRoute {
  return {
    methods: ['GET'],
    host: 'archive',
    path: /^\/assets\/[^/]+$/,
    isPage: false,
    isOpen: true,
    handle: async ({ target }) => assetAnswer(assets, target.split('?', 1)[0]!),
  }
}

function assetAnswer(assets: PageAssets, path: string): HttpAnswer {
  const file = assets.file(path)
  if (file === undefined) {
    return {
      status: 404,
      headers: [['Content-Type', 'text/plain; charset=utf-8']],
      body: 'There is no such file.\n',
    }
  }
  return {
    status: 200,
    headers: [
      ['Content-Type', file.type],
      ['Cache-Control', 'public, max-age=31536000, immutable'],
      ['X-Content-Type-Options', 'nosniff'],
      ['Cross-Origin-Resource-Policy', 'same-origin'],
    ],
    body: file.bytes,
  }
}

// Safety headers: what keeps archived pages away from the live web, from each other and from the archive's own pages.
//
// Everything on the replay host comes with them, whatever it is, for any of it can be opened as a page. Sandboxed without
// allow-same-origin, a page has an origin that nothing else shares: no cookies, no storage, no service worker, no way into
// another frame. Its sources are the replay host and what it carries itself. Answers are open to every origin,
// since the origin of a sandboxed page is like no other.

import type { Header } from './archived-head.ts'
import type { ReplayOrigins } from './replay-origins.ts'

/** No allow-same-origin, allow-top-navigation, allow-popups, allow-downloads; no allow-modals, for nobody can answer. */
const sandbox = 'sandbox allow-scripts allow-forms allow-pointer-lock'

const deniedFeatures =
  'accelerometer browsing-topics camera display-capture ' +
  'geolocation gyroscope hid identity-credentials-get idle-detection local-fonts magnetometer ' +
  'microphone midi otp-credentials payment publickey-credentials-create publickey-credentials-get ' +
  'screen-wake-lock serial storage-access usb window-management xr-spatial-tracking'

function replayPolicy({ replay }: ReplayOrigins): string {
  const own = `${replay}/web/`
  // All that the replay host has: strays, such as /style.css, are led from there to where they belong.
  const sources = `${replay} data: blob:`
  return [
    sandbox,
    `default-src 'unsafe-inline' 'unsafe-eval' ${sources}`,
    // A document from data: or blob: would keep this policy, but not our start, without which WebRTC is a way out.
    `frame-src ${own}`,
    `object-src ${own}`,
    `worker-src ${sources}`,
    `form-action ${own}`,
    `base-uri ${own}`,
    // Texts become markup and scripts only through us: see in-page/trusted-texts.js.
    "require-trusted-types-for 'script'",
    'trusted-types default',
  ].join('; ')
}

export function replaySafetyHeaders(origins: ReplayOrigins): readonly Header[] {
  return [
    ['Content-Security-Policy', replayPolicy(origins)],
    [
      'Permissions-Policy',
      deniedFeatures
        .split(' ')
        .map((feature) => `${feature}=()`)
        .join(', '),
    ],
    // Nothing leaves the two hosts, and strayed requests find their page by it.
    ['Referrer-Policy', 'unsafe-url'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Timing-Allow-Origin', '*'],
    ['X-DNS-Prefetch-Control', 'off'],
    // A script that fetches gets the original bytes, a frame gets a page.
    ['Vary', 'Sec-Fetch-Dest, Origin'],
    // Not Connection-Allowlist, though it would stop WebRTC in every frame: Chromium 153 dies of it when the data of an
    // <object> is missing, and old pages are full of those.
  ]
}

/** On the replay host, for all that has no start of ours: opened as a page, it runs no script. On top of the others. */
export const scriptlessHeader: Header = ['Content-Security-Policy', 'sandbox']

/** For original bytes on the archive's own host: they can be looked at, and do nothing. */
export const rawSafetyHeaders: readonly Header[] = [
  ['Content-Security-Policy', "sandbox; default-src 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
]

/** A page of an origin like no other says `null`, and may then also say that it sends credentials: there are none. */
export function sharingHeaders(origin: string | undefined): readonly Header[] {
  return origin === 'null' ? openToNull : openToAll
}

/** Of a request with credentials, as wombat makes them in workers, the star stands for nothing: see in-page/missing-parts.js. */
const exposed: Header = ['Access-Control-Expose-Headers', '*, Server-Timing']
const openToAll: readonly Header[] = [['Access-Control-Allow-Origin', '*'], exposed]
const openToNull: readonly Header[] = [
  ['Access-Control-Allow-Origin', 'null'],
  ['Access-Control-Allow-Credentials', 'true'],
  exposed,
]

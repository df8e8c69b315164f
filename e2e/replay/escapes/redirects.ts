// Attempts by way of the page's own host, which sends on what it is asked for; and by other spellings of an address.

import { redirect } from '../files.ts'
import { type Escape, type Surroundings, trial, trials } from './escape.ts'

export function redirectEscapes(around: Surroundings): Escape[] {
  const sent = (name: string, body: (path: string) => string, ending: string, status = 302): Escape => ({
    name,
    page: trial(around, name, { body: body(`/escape/${name}/part${ending}`) }),
    parts: { [`/part${ending}`]: redirect(status, `${around.live}/caught/${name}${ending}`) },
  })
  const script = (code: (path: string) => string) => (path: string) => `<script>${code(path)}</script>`
  return [
    sent('redirect-image', (path) => `<img src="${path}">`, '.png'),
    sent('redirect-script', (path) => `<script src="${path}"></script>`, '.js'),
    sent('redirect-style', (path) => `<link rel="stylesheet" href="${path}">`, '.css', 301),
    sent('redirect-frame', (path) => `<iframe src="${path}"></iframe>`, '.html', 303),
    sent(
      'redirect-fetch',
      script((path) => `fetch('${path}', { mode: 'no-cors' })`),
      '.json',
      307,
    ),
    sent(
      'redirect-import',
      script((path) => `import('${path}').catch(() => {})`),
      '.js',
    ),
    sent(
      'redirect-worker',
      script(
        (path) =>
          `new Worker(URL.createObjectURL(new Blob(["importScripts('" + location.origin + "${path}')"])))`,
      ),
      '.js',
    ),
    sent(
      'redirect-post',
      script((path) => `fetch('${path}', { method: 'POST', body: 'x', mode: 'no-cors' })`),
      '.json',
      308,
    ),
    ...bySpelling(around),
    ...byWorker(around),
  ]
}

function bySpelling(around: Surroundings): Escape[] {
  const { hostname, port } = new URL(around.live === '' ? 'http://127.0.0.1' : around.live)
  const [first = 0, , , last = 0] = hostname.split('.').map(Number)
  const number = first * 2 ** 24 + last
  const image = (name: string, host: string) =>
    `new Image().src = 'http://${host}:${port}/caught/${name}.png'`
  return trials(around, {
    'address-number': image('address-number', String(number)),
    'address-short': image('address-short', `${first}.${last}`),
    'address-hexadecimal': image('address-hexadecimal', `0x${number.toString(16)}`),
    'address-octal': image('address-octal', `0${first.toString(8)}.0.0.0${last.toString(8)}`),
    'address-mapped': image('address-mapped', `[::ffff:${hostname}]`),
    'address-user': {
      script: `new Image().src = 'http://name:word@${hostname}:${port}/caught/address-user.png'`,
      isRare: true,
    },
    'address-dot': image('address-dot', `${hostname}.`),
  })
}

function byWorker(around: Surroundings): Escape[] {
  const { live } = around
  const inWorker = (code: string, options = '') =>
    `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }))${options})`
  return trials(around, {
    'worker-request': inWorker(
      `var r = new XMLHttpRequest(); r.open('GET', '${live}/caught/worker-request'); r.send()`,
    ),
    'worker-events': inWorker(`new EventSource('${live}/caught/worker-events')`),
    'worker-dynamic-import': inWorker(
      `import('${live}/caught/worker-dynamic-import.js').catch(() => {})`,
      ", { type: 'module' }",
    ),
    'worker-font': inWorker(
      `new FontFace('x', 'url(${live}/caught/worker-font.ttf)').load().catch(() => {})`,
    ),
    'worker-shared-blob': `new SharedWorker(URL.createObjectURL(new Blob(["fetch('" + caught() + "', { mode: 'no-cors' })"])))`,
    'worker-shared-data': `new SharedWorker('data:text/javascript,' + encodeURIComponent('importScripts("' + caught('.js') + '")'))`,
  })
}

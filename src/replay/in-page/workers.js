// Workers: a page of an origin like no other may start them from blobs only. So the blob loads the worker's script, which
// the server sends with wombat's half for workers before it; and with it goes the worker's share of trusted-texts.js.

import { workerTrust } from './trusted-texts.js'

export function letWorkersStart() {
  const NativeWorker = window.Worker
  if (NativeWorker === undefined) return
  function Worker(url, options) {
    return new NativeWorker(startable(String(url), options), options)
  }
  Worker.prototype = NativeWorker.prototype
  window.Worker = Worker
}

function startable(url, options) {
  const address = JSON.stringify(new URL(url, location.href).href)
  const loading = options?.type === 'module' ? `import ${address}` : `importScripts(${address})`
  return URL.createObjectURL(new Blob([workerTrust, loading], { type: 'text/javascript' }))
}

// Workers: a page of an origin like no other may start them from blobs only. So the blob loads the worker's script, which
// the server sends with wombat's half for workers before it; and with it goes the worker's share of trusted-texts.js.

import { workerTrust } from './trusted-texts.js'

export function letWorkersStart() {
  const NativeWorker = window.Worker
  if (NativeWorker === undefined) return
  function Worker(url, options) {
    const isModule = options?.type === 'module'
    return new NativeWorker(
      startable(String(url), isModule),
      isModule ? { ...options, type: 'classic' } : options,
    )
  }
  Worker.prototype = NativeWorker.prototype
  window.Worker = Worker
}

function startable(url, isModule) {
  const address = JSON.stringify(new URL(url, location.href).href)
  const loading = isModule ? moduleLoading(address) : `importScripts(${address})`
  return URL.createObjectURL(new Blob([workerTrust, loading], { type: 'text/javascript' }))
}

/** Chromium starts no worker of modules here, but lets a plain one import them. What is said to it before is kept. */
function moduleLoading(address) {
  return `const early=[],keep=(event)=>{event.stopImmediatePropagation();early.push(event)};
addEventListener('message',keep);
import(${address}).then(()=>{
  removeEventListener('message',keep);
  for(const {data,ports} of early)dispatchEvent(new MessageEvent('message',{data,ports}));
},(error)=>setTimeout(()=>{throw error}));`
}

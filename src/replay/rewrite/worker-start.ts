// Worker start: sets wombat's half for workers up before a worker's own script runs, at the page's time.

import { ownFilesPath, type ReplayOrigins } from '../replay-origins.ts'

export function workerStart(
  { url, timestamp }: { readonly url: string; readonly timestamp: string },
  { replay }: ReplayOrigins,
): string {
  const info = {
    prefix: `${replay}/web/`,
    prefixMod: `${replay}/web/${timestamp}wkrf_/`,
    originalURL: url,
  }
  const file = JSON.stringify(`${replay}${ownFilesPath}wombatWorkers.js`)
  // A worker starts from a blob, and would take that for its address.
  const place = `Object.defineProperty(self,'location',{value:new URL(${JSON.stringify(url)}),configurable:true})`
  return `self.WBWombat||(importScripts(${file}),new WBWombat(${JSON.stringify(info)}),${place});`
}

// All realistic sites, built.

import { chartsSite, databaseSite, mapSite, slidesSite } from './data-sites.ts'
import { documentationSite } from './documentation-site.ts'
import { componentsSite, modulesSite, workersSite } from './module-sites.ts'
import { filmSite, gallerySite, listSite } from './picture-sites.ts'
import { reactSite } from './react-site.ts'
import type { RealSite } from './real-site.ts'
import { vueSite } from './vue-site.ts'

export async function everyRealSite(): Promise<RealSite[]> {
  return [
    documentationSite,
    await reactSite(),
    await vueSite(),
    listSite,
    gallerySite,
    filmSite,
    modulesSite,
    await workersSite(),
    await componentsSite(),
    mapSite,
    slidesSite,
    await chartsSite(),
    await databaseSite(),
  ]
}

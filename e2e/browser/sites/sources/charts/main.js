import { Chart } from 'chart.js/auto'

const get = async (name) => (await fetch(`/data/${name}.json`)).json()
const point = new Image(24, 24)
point.src = '/pictures/point.svg'
await point.decode()

Chart.defaults.animation = false
const labels = Array.from({ length: 24 }, (_, at) => `${at}:00`)
const kinds = ['line', 'bar', 'doughnut']
await Promise.all(
  kinds.map(async (type) => {
    const data = await get(type)
    const options = { maintainAspectRatio: false, pointStyle: type === 'line' ? point : undefined }
    const sets = [{ label: `A ${type} chart`, data, backgroundColor: ['#48c', '#c84', '#8c4', '#84c'] }]
    new Chart(document.getElementById(type), {
      type,
      data: { labels: labels.slice(0, data.length), datasets: sets },
      options,
    })
  }),
)
const copy = document.querySelector('#copy')
copy.src = document.querySelector('#line').toDataURL()
await copy.decode()
document.documentElement.dataset.ready = 'yes'

import{t as e}from"./owner-requests-Cl2IBHXt.mjs";import{r as t}from"./config-BwLPbS8u.mjs";import{i as n,n as r}from"./schema-DRgzNNyJ.mjs";import{t as i}from"./data-dir-sDZU7YcW.mjs";import{n as a}from"./flag-errors-bumRaGVT.mjs";import{parseArgs as o}from"node:util";import{renderUnicodeCompact as s}from"uqr";var c=`Usage:
  quarry phone                 Print a QR code and an address that link one phone or computer, valid for two minutes
  quarry phone on [options]    Let linked devices of the network in, now and after each start; prints a code too
  quarry phone off             Let no device in; linked devices stay linked
  quarry phone list            List the linked devices
  quarry phone sign-out <id>   Sign a device out

Options:
  --address <ip>   Address of this computer to listen on (default: all of its IPv4 addresses; "all" goes back to it)
  --port <number>  Port for devices (default 8403)
  --data-dir <folder>  Folder of the server

The connection is plain http: others in the network can read along. Use it in networks that you trust.
`,l=/^\d{1,5}$/;async function deviceCommand(t,n){let{values:a,positionals:o}=parseDeviceArguments(t),[s,...c]=o,l=e(i(a[`data-dir`],n),`/admin/devices`),u=deviceAccessPlace(a);if(Object.keys(u).length>0&&s!==`on`)throw deviceUsageError(`Give --address and --port with "quarry phone on".`);if(s===`sign-out`&&c.length===1)return await l(`DELETE`,`/${encodeURIComponent(c[0]??``)}`),`The device is signed out.
`;if(c.length>0)throw deviceUsageError(`Give on, off, list, sign-out with the id of one device, or nothing.`);if(s===void 0)return createInvitation(l);if(s===`on`)return await l(`PATCH`,``,{on:!0,...u}),createInvitation(l);if(s===`off`)return await l(`PATCH`,``,{on:!1}),`No device is let in any more. Linked devices stay linked.
`;if(s===`list`)return formatDeviceList(r.parse(await l(`GET`,``)));throw deviceUsageError(`Give on, off, list, sign-out with the id of one device, or nothing.`)}async function createInvitation(e){let{links:t}=n.parse(await e(`POST`,`/codes`));return`${t.map(e=>`${s(e)}\n${e}\n`).join(`
`)}\nThe code links one device, within two minutes.\n`}function formatDeviceList({devices:e}){return e.length===0?`No device is linked.
`:e.map(({deviceId:e,name:t,lastUsedAt:n})=>`${e}  ${t}, last used ${n}\n`).join(``)}function parseDeviceArguments(e){let n={type:`string`},r={address:n,port:n,"data-dir":n};try{return o({args:[...e],options:r,strict:!0,allowPositionals:!0})}catch(e){throw new t(a(e,Object.keys(r),`quarry phone`))}}function deviceAccessPlace({address:e,port:n}){let r={};if(e!==void 0&&(r.address=e===`all`?null:e),n!==void 0&&!l.test(n))throw new t(`--port: Give a number from 1 to 65535.`);return n!==void 0&&(r.port=Number(n)),r}function deviceUsageError(e){return new t(`${e}\n\n${c}`)}export{c as DEVICE_HELP,deviceCommand};
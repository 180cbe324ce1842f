import{t as ownerRequests}from"./owner-requests-Cl2IBHXt.mjs";import{r as ConfigError}from"./config-BwLPbS8u.mjs";import{i as LinkCode,n as DeviceAccess}from"./schema-DRgzNNyJ.mjs";import{t as dataDirFrom}from"./data-dir-sDZU7YcW.mjs";import{n as flagProblem}from"./flag-errors-bumRaGVT.mjs";import{parseArgs}from"node:util";import{renderUnicodeCompact}from"uqr";var DEVICE_HELP=`Usage:
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
`;var PORT=/^\d{1,5}$/;async function deviceCommand(argv,environment){const{values,positionals}=parseDeviceArguments(argv);const[act,...names]=positionals;const send=ownerRequests(dataDirFrom(values[`data-dir`],environment),`/admin/devices`);const place=deviceAccessPlace(values);if(Object.keys(place).length>0&&act!==`on`)throw deviceUsageError(`Give --address and --port with "quarry phone on".`);if(act===`sign-out`&&names.length===1){await send(`DELETE`,`/${encodeURIComponent(names[0]??``)}`);return`The device is signed out.
`}if(names.length>0)throw deviceUsageError(`Give on, off, list, sign-out with the id of one device, or nothing.`);if(act===void 0)return createInvitation(send);if(act===`on`){await send(`PATCH`,``,{on:true,...place});return createInvitation(send)}if(act===`off`){await send(`PATCH`,``,{on:false});return`No device is let in any more. Linked devices stay linked.
`}if(act===`list`)return formatDeviceList(DeviceAccess.parse(await send(`GET`,``)));throw deviceUsageError(`Give on, off, list, sign-out with the id of one device, or nothing.`)}async function createInvitation(send){const{links}=LinkCode.parse(await send(`POST`,`/codes`));return`${links.map(link=>`${renderUnicodeCompact(link)}\n${link}\n`).join(`
`)}\nThe code links one device, within two minutes.\n`}function formatDeviceList({devices}){if(devices.length===0)return`No device is linked.
`;return devices.map(({deviceId,name,lastUsedAt})=>`${deviceId}  ${name}, last used ${lastUsedAt}\n`).join(``)}function parseDeviceArguments(argv){const text={type:`string`};const options={address:text,port:text,"data-dir":text};try{return parseArgs({args:[...argv],options,strict:true,allowPositionals:true})}catch(error){throw new ConfigError(flagProblem(error,Object.keys(options),`quarry phone`))}}function deviceAccessPlace({address,port}){const place={};if(address!==void 0)place.address=address===`all`?null:address;if(port!==void 0&&!PORT.test(port))throw new ConfigError(`--port: Give a number from 1 to 65535.`);if(port!==void 0)place.port=Number(port);return place}function deviceUsageError(message){return new ConfigError(`${message}\n\n${DEVICE_HELP}`)}export{DEVICE_HELP,deviceCommand};
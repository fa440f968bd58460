# What hubbench asks of Windows, in one call that needs no administrator. It changes nothing and prints one JSON object.
# What fails is named under Failed. No double quotes in here: the script is an argument of a command line.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
try { [Console]::OutputEncoding = New-Object Text.UTF8Encoding $false } catch { }
$failed = @{}
function Ask($name, $what) { try { & $what } catch { $failed[$name] = $_.Exception.Message } }

$disks = @(Ask 'Get-Disk' { Get-Disk | Select-Object Number, FriendlyName, Model, Manufacturer, FirmwareVersion, SerialNumber,
    AdapterSerialNumber, @{ n = 'BusType'; e = { [string]$_.BusType } }, Size, IsBoot, IsSystem, IsReadOnly })
$physical = @(Ask 'Get-PhysicalDisk' { Get-PhysicalDisk | Select-Object DeviceId, FriendlyName, Model, FirmwareVersion, SerialNumber,
    @{ n = 'BusType'; e = { [string]$_.BusType } }, @{ n = 'MediaType'; e = { [string]$_.MediaType } }, Size })
$partitions = @(Ask 'Get-Partition' { Get-Partition | Select-Object DiskNumber, PartitionNumber,
    @{ n = 'DriveLetter'; e = { [string]$_.DriveLetter } }, @{ n = 'Type'; e = { [string]$_.Type } }, AccessPaths, Size, IsReadOnly })
$volumes = @(Ask 'Get-Volume' { Get-Volume | Select-Object @{ n = 'DriveLetter'; e = { [string]$_.DriveLetter } }, Path, UniqueId,
    @{ n = 'FileSystem'; e = { [string]$_.FileSystem } }, FileSystemLabel, Size, SizeRemaining })
$drives = @(Ask 'Win32_DiskDrive' { Get-CimInstance Win32_DiskDrive |
    Select-Object Index, Model, FirmwareRevision, SerialNumber, InterfaceType, Size, PNPDeviceID })
$logical = @(Ask 'Win32_LogicalDisk' { Get-CimInstance Win32_LogicalDisk | Select-Object DeviceID, Compressed, DriveType })

# The devices on the way to each disk and each network adapter of USB, by their parents; and the routers of USB4.
$keys = 'DEVPKEY_Device_Parent', 'DEVPKEY_Device_Service', 'DEVPKEY_Device_BusReportedDeviceDesc', 'DEVPKEY_Device_RemovalPolicy',
    'DEVPKEY_PciDevice_CurrentLinkSpeed', 'DEVPKEY_PciDevice_CurrentLinkWidth', 'DEVPKEY_PciDevice_MaxLinkSpeed', 'DEVPKEY_PciDevice_MaxLinkWidth'
$devices = [ordered]@{}
$null = Ask 'Get-PnpDevice' {
    $seeds = @($drives | ForEach-Object { $_.PNPDeviceID })
    $seeds += @(Get-PnpDevice -PresentOnly | Where-Object { $_.InstanceId -like 'USB4\*' -or
        ($_.Class -eq 'Net' -and $_.InstanceId -like 'USB\*') } | ForEach-Object { $_.InstanceId })
    foreach ($id in $seeds) {
        while ($id -and -not $devices.Contains($id) -and $devices.Count -lt 400) {
            $device = Get-PnpDevice -InstanceId $id -ErrorAction SilentlyContinue
            $entry = [ordered]@{ InstanceId = $id; Name = [string]$device.FriendlyName; Manufacturer = [string]$device.Manufacturer; Class = [string]$device.Class }
            Get-PnpDeviceProperty -InstanceId $id -KeyName $keys -ErrorAction SilentlyContinue | Where-Object { $null -ne $_.Data } |
                ForEach-Object { $entry[($_.KeyName -replace '^DEVPKEY_(Pci)?Device_', '')] = $_.Data }
            $devices[$id] = $entry
            $id = $entry['Parent']
        }
    }
}

# BitLocker, as the shell knows it: the tools that know more want an administrator.
$locks = @(Ask 'BitLocker' {
    $shell = New-Object -ComObject Shell.Application
    $logical | Where-Object { $_.DriveType -eq 2 -or $_.DriveType -eq 3 } | ForEach-Object {
        $folder = $shell.NameSpace($_.DeviceID + '\')
        if ($folder) { [ordered]@{ Drive = $_.DeviceID; Protection = $folder.Self.ExtendedProperty('System.Volume.BitLockerProtection') } } } })

[ordered]@{
    Disks = $disks; PhysicalDisks = $physical; Partitions = $partitions; Volumes = $volumes; Drives = $drives; LogicalDisks = $logical
    Devices = @($devices.Values); BitLocker = $locks
    Battery = @(Ask 'Win32_Battery' { Get-CimInstance Win32_Battery | Select-Object BatteryStatus })
    Computer = @(Ask 'Win32_ComputerSystem' { Get-CimInstance Win32_ComputerSystem | Select-Object Name, Manufacturer, Model })
    System = @(Ask 'Win32_OperatingSystem' { Get-CimInstance Win32_OperatingSystem | Select-Object Caption, Version })
    Processor = @(Ask 'Win32_Processor' { Get-CimInstance Win32_Processor | Select-Object Name, Architecture })
    Failed = $failed
} | ConvertTo-Json -Depth 4 -Compress
